/* A put to a target that the window does not have.
 *
 * ranks: 2
 * expect: argument.rank
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    *memory = 0;
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(&value, 1, MPI_INT, TWIN(2, 1), 0, 1, MPI_INT, window); /* WRONG */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
