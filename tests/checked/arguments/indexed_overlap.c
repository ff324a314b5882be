/* Blocks of the datatype of a receive overlap.
 *
 * ranks: 2
 * expect: argument.receive-overlap
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[12] = {0}, lengths[3] = {2, 2, 2}, places[3] = {0, TWIN(1, 2), 5};
    MPI_Datatype blocks;
    MPI_Type_indexed(3, lengths, places, MPI_INT, &blocks);
    MPI_Type_commit(&blocks);
    if (rank == 1)
        MPI_Send(values, 6, MPI_INT, 0, 0, WORLD);
    else
        MPI_Recv(values, 1, blocks, 1, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Type_free(&blocks);
}
