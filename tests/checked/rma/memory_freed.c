/* The memory of a window is given back before MPI_Win_free.
 * 
 * ranks: 2
 * expect: argument.buffer-inaccessible
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *cells = malloc(4 << 20);
    MPI_Win window;
    MPI_Win_create(cells, 4 << 20, sizeof(int), MPI_INFO_NULL, WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
#ifndef RIGHT
    free(cells);
#endif
    MPI_Win_free(&window); /* WRONG */
#ifdef RIGHT
    free(cells);
#endif
}
