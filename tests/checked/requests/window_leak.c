/* A window is never freed.
 *
 * ranks: 2
 * expect: leak.window
 * bare: openmpi=ends mpich=crashes
 */
#include "../checked.h"

static void program(void)
{
    int memory[4] = {rank};
    MPI_Win window;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, WORLD, &window); /* WRONG */
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
#ifdef RIGHT
    MPI_Win_free(&window);
#endif
}
