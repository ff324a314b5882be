/* A rank with a smaller window is written as if it were as large as the others'.
 *
 * ranks: 3
 * expect: rma.target-range
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate((rank == 2 ? 1 : 4) * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        for (int n = 1; n < TWIN(3, 2); n++)
            MPI_Put(&value, 1, MPI_INT, n, 2, 1, MPI_INT, window); /* WRONG */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}
