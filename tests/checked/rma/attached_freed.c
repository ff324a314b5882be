/* Memory that is attached to a dynamic window is given back before it is detached.
 *
 * ranks: 2
 * expect: argument.buffer-inaccessible
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *cells = malloc(2000 * sizeof(int)), *more = malloc(2000 * sizeof(int));
    MPI_Win window;
    MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &window);
    MPI_Win_attach(window, cells, 2000 * sizeof(int));
    MPI_Barrier(WORLD);
    use(more);
#ifndef RIGHT
    free(cells);
#endif
    MPI_Win_detach(window, cells); /* WRONG */
#ifdef RIGHT
    free(cells);
#endif
    free(more);
    MPI_Win_free(&window);
}
