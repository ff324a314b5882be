/* A put to a window that was freed.
 *
 * ranks: 2
 * expect: argument.window
 * bare: openmpi=crashes mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window, copy;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    copy = window;
#ifndef RIGHT
    MPI_Win_free(&window);
#else
    MPI_Win_fence(0, window);
#endif
    if (rank == 0)
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, copy); /* WRONG */
#ifdef RIGHT
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
#endif
}
