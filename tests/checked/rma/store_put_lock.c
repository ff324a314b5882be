/* The target stores where another rank puts under a lock, with nothing between the two.
 *
 * ranks: 2
 * expect: rma.conflict
 * mpi: openmpi
 * bare: openmpi=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = 7;
    MPI_Win window;
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 8 * sizeof(int));
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Put(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, window); /* WRONG */
        MPI_Win_unlock(1, window);
    }
#ifdef RIGHT
    MPI_Barrier(WORLD);
#endif
    if (rank == 1) {
        pause_ms(20);
        memory[2] = 42;
        use(memory);
    }
    MPI_Barrier(WORLD); /* WRONG */
    MPI_Win_free(&window);
}
