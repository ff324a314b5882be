/* More memory is attached to a dynamic window than was allocated.
 *
 * ranks: 2
 * expect: argument.buffer-short
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *cells = malloc(20 * sizeof(int)), *more = malloc(200 * sizeof(int));
    MPI_Win window;
    MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &window);
    MPI_Win_attach(window, cells, TWIN(40, 20) * sizeof(int)); /* WRONG */
    MPI_Win_detach(window, cells);
    MPI_Win_free(&window);
    use(more);
    free(more);
    free(cells);
}
