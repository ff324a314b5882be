/* A put writes one element of its target twice, because the blocks of the target's datatype overlap.
 * 
 * ranks: 2
 * expect: argument.datatype
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *cells, values[4] = {1, 2, 3, 4}, lengths[2] = {2, 2}, places[2] = {0, TWIN(1, 2)};
    MPI_Datatype blocks;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &cells, &window);
    MPI_Type_indexed(2, lengths, places, MPI_INT, &blocks);
    MPI_Type_commit(&blocks);
    MPI_Win_fence(0, window);
    MPI_Put(values, 4, MPI_INT, 1 - rank, 0, 1, blocks, window); /* WRONG */
    MPI_Win_fence(0, window);
    MPI_Type_free(&blocks);
    MPI_Win_free(&window);
}
