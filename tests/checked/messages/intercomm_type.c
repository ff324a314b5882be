/* Different types on the two sides of an intercommunicator.
 *
 * ranks: 2
 * expect: message.datatype
 * allow: argument.variable-type
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm self, both;
    int value = rank;
    MPI_Comm_split(WORLD, rank, 0, &self);
    MPI_Intercomm_create(self, 0, WORLD, 1 - rank, 1, &both);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 0, 0, both); /* WRONG */
    else
        MPI_Recv(&value, 1, TWIN(MPI_FLOAT, MPI_INT), 0, 0, both, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Comm_free(&both);
    MPI_Comm_free(&self);
}
