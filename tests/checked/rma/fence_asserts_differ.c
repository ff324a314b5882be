/* One rank says that nothing succeeds the fence, the others do not.
 *
 * ranks: 2
 * expect: collective.argument
 */
#include "../checked.h"

static void program(void)
{
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    MPI_Win_fence(rank == TWIN(0, -1) ? MPI_MODE_NOSUCCEED : 0, window); /* WRONG */
    MPI_Win_free(&window);
}
