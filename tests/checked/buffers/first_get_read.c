/* What MPI_Get brings is read before the epoch ends.
 *
 * ranks: 2
 * expect: buffer.receive-read
 * lines: first
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *base, got = 0, sum = 0;
    MPI_Win window;
    MPI_Win_allocate(10 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &base, &window);
    MPI_Win_fence(0, window);
    memset(base, 0, 10 * sizeof(int));
    MPI_Win_fence(0, window);
    MPI_Get(&got, 1, MPI_INT, 1 - rank, 3, 1, MPI_INT, window);
    use(&got);
#ifndef RIGHT
    sum += got; /* WRONG */
#endif
    MPI_Win_fence(0, window);
    sum += got;
    use(&sum);
    MPI_Win_free(&window);
}
