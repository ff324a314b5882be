/* The origin of a put is written, with what it has, before the epoch ends.
 *
 * ranks: 2
 * lines: first
 * flags: -fsanitize=thread
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static int origin[10];

static void program(void)
{
    int *base;
    MPI_Win window;
    MPI_Win_allocate(10 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &base, &window);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Put(origin, 10, MPI_INT, 1, 0, 10, MPI_INT, window);
#ifndef RIGHT
        origin[3] = 0; /* WRONG */
#endif
    }
    MPI_Win_fence(0, window);
    origin[3] = 0;
    MPI_Win_free(&window);
}
