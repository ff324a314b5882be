/* A negative count in a put.
 *
 * ranks: 2
 * expect: argument.count
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(&value, TWIN(-1, 1), MPI_INT, 1, 0, 1, MPI_INT, window); /* WRONG */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
