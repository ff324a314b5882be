/* MPI_MODE_NOCHECK is not an assertion of MPI_Win_fence.
 * 
 * ranks: 2
 * expect: argument.value
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *cells;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &cells, &window);
    MPI_Win_fence(TWIN(MPI_MODE_NOCHECK, MPI_MODE_NOPRECEDE | MPI_MODE_NOPUT), window); /* WRONG */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}
