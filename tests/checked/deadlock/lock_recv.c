/* A rank keeps an exclusive lock and waits for a message of the one that wants the lock.
 *
 * ranks: 2
 * expect: deadlock.cycle
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = 0;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    *memory = 0;
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
#ifdef RIGHT
        MPI_Win_unlock(0, window);
        MPI_Recv(&value, 1, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE);
#else
        MPI_Recv(&value, 1, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Win_unlock(0, window);
#endif
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window); /* WRONG */
        MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window); /* WRONG */
        MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
    }
    MPI_Win_free(&window);
}
