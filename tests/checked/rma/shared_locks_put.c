/* Two origins put to the same place under shared locks.
 *
 * ranks: 3
 * expect: rma.conflict
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    if (rank > 0) {
        MPI_Win_lock(TWIN(MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE), 0, 0, window);
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window); /* WRONG */
        MPI_Win_unlock(0, window);
    }
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
