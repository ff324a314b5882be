/* The heap block of a window is given back before MPI_Win_free.
 *
 * ranks: 2
 * expect: argument.buffer-inaccessible
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    int *cells = calloc(2000, sizeof(int)), *more = calloc(2000, sizeof(int));
    MPI_Win window;
    MPI_Win_create(cells, 2000 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, 1 - rank, 7, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    use(more);
#ifndef RIGHT
    free(cells);
#endif
    MPI_Win_free(&window); /* WRONG */
#ifdef RIGHT
    free(cells);
#endif
    free(more);
}
