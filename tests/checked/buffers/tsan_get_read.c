/* What MPI_Get brings is read before the epoch ends.
 *
 * ranks: 2
 * lines: first
 * flags: -fsanitize=thread
 * expect: buffer.receive-read
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static int origin[10], sum;

static void program(void)
{
    int *base;
    MPI_Win window;
    MPI_Win_allocate(10 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &base, &window);
    MPI_Win_fence(0, window);
    memset(base, 0, 10 * sizeof(int));
    MPI_Win_fence(0, window);
    MPI_Get(origin, 10, MPI_INT, 1 - rank, 0, 10, MPI_INT, window);
#ifndef RIGHT
    sum += origin[3]; /* WRONG */
#endif
    MPI_Win_fence(0, window);
    sum += origin[3];
    MPI_Win_free(&window);
}
