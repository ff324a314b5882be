/* The remote leader of an intercommunicator does not exist.
 *
 * ranks: 2
 * expect: argument.rank
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm self, both;
    MPI_Comm_split(WORLD, rank, 0, &self);
    MPI_Intercomm_create(self, 0, WORLD, TWIN(2 + rank, 1 - rank), 1, &both); /* WRONG */
    MPI_Comm_free(&both);
    MPI_Comm_free(&self);
}
