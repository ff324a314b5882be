/* An assertion of which the MPI knows nothing.
 *
 * ranks: 2
 * expect: argument.value
 * allow: collective.argument
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *cells;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &cells, &window);
    MPI_Win_fence(TWIN(1 << 28, 0), window); /* WRONG */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}
