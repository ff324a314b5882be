/* A window's memory is replaced by a larger block while the window goes on to use the old one.
 *
 * ranks: 2
 * expect: argument.buffer-inaccessible
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    int *cells = calloc(1000, sizeof(int)), *more = calloc(1000, sizeof(int));
    MPI_Win window;
    MPI_Win_create(cells, 1000 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, 1 - rank, 50, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
#ifndef RIGHT
    int *larger = malloc(4000 * sizeof(int));
    memcpy(larger, cells, 1000 * sizeof(int));
    free(cells);
    cells = larger;
#endif
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window); /* WRONG */
    MPI_Win_free(&window);
    use(cells);
    free(cells);
    free(more);
}
