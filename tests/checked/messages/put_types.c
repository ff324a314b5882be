/* A put of floats into what the target takes for ints.
 *
 * ranks: 2
 * expect: message.datatype | argument.datatype
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory;
    TWIN(float, int) values[2] = {rank};
    MPI_Win window;
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(values, 2, TWIN(MPI_FLOAT, MPI_INT), 1, 0, 2, MPI_INT, window); /* WRONG */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
