/* A rank stores into its own part of a window, which others accumulate to, without the lock that it needs.
 *
 * ranks: 2
 * expect: rma.conflict
 * mpi: openmpi
 * bare: openmpi=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, one = 1;
    MPI_Win window;
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 8 * sizeof(int));
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, window); /* WRONG */
        MPI_Win_unlock(1, window);
    } else if (rank == 1) {
        pause_ms(20);
#ifdef RIGHT
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
#endif
        memory[0] += 10;
        use(memory);
#ifdef RIGHT
        MPI_Win_unlock(1, window);
#endif
    }
    MPI_Barrier(WORLD); /* WRONG */
    MPI_Win_free(&window);
}
