/* One rank is in a fence, the other one waits for a message.
 *
 * ranks: 2
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
#ifdef RIGHT
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
#endif
    MPI_Win_fence(0, window); /* WRONG */
#ifndef RIGHT
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
#endif
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}
