/* A scan on an intercommunicator, for which it is not defined.
 *
 * ranks: 2
 * expect: argument.communicator
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm self, both;
    int mine = rank, sum;
    MPI_Comm_split(WORLD, rank, 0, &self);
    MPI_Intercomm_create(self, 0, WORLD, 1 - rank, 1, &both);
    MPI_Scan(&mine, &sum, 1, MPI_INT, MPI_SUM, TWIN(both, WORLD)); /* WRONG */
    MPI_Comm_free(&both);
    MPI_Comm_free(&self);
}
