/* A receive of one block where two are sent.
 *
 * ranks: 2
 * expect: message.truncated
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[16] = {rank};
    MPI_Datatype block;
    MPI_Type_vector(2, 2, 4, MPI_INT, &block);
    MPI_Type_commit(&block);
    if (rank == 0)
        MPI_Send(values, 2, block, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(values, TWIN(1, 2), block, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Type_free(&block);
}
