/* The lock is of one target, the put goes to another one.
 *
 * ranks: 3
 * expect: rma.no-epoch
 * bare: openmpi=aborts mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        MPI_Put(&value, 1, MPI_INT, TWIN(2, 1), 0, 1, MPI_INT, window); /* WRONG */
        MPI_Win_unlock(1, window);
    }
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
