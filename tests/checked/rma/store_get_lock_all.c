/* The target changes what another rank gets, both in epochs of lock_all; or after a message says that it has been got.
 *
 * ranks: 3
 * expect: rma.conflict
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = 0, turn __attribute__((unused)) = 0;
    MPI_Win window;
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 8 * sizeof(int));
    MPI_Barrier(WORLD);
    MPI_Win_lock_all(0, window);
    for (int round = 1; round < 20; round++) {
        if (rank == 0) {
            MPI_Get(&value, 1, MPI_INT, 1, 3, 1, MPI_INT, window); /* WRONG */
            MPI_Win_flush(1, window);
#ifdef RIGHT
            MPI_Send(&turn, 1, MPI_INT, 1, 0, WORLD);
#endif
        } else if (rank == 1) {
#ifdef RIGHT
            MPI_Recv(&turn, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
#endif
            memory[3] = round;
            use(memory);
            MPI_Win_sync(window);
        }
        MPI_Barrier(WORLD); /* WRONG */
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
