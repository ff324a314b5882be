/* A fence on MPI_WIN_NULL.
 *
 * ranks: 2
 * expect: argument.window
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_fence(0, TWIN(MPI_WIN_NULL, window)); /* WRONG */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}
