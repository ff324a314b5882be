/* A get into a null pointer.
 *
 * ranks: 2
 * expect: argument.buffer-null
 * bare: openmpi=crashes mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    *memory = 0;
    MPI_Win_fence(0, window);
    MPI_Get(TWIN(NULL, &value), 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window); /* WRONG */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    use(&value);
}
