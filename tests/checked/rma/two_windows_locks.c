/* Two ranks put to the same memory through two windows that overlap: an exclusive lock of one keeps nobody out of the other.
 *
 * ranks: 3
 * expect: rma.conflict
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int cells[16] = {0}, value = rank;
    MPI_Win whole, upper;
    MPI_Win_create(cells, sizeof cells, sizeof(int), MPI_INFO_NULL, WORLD, &whole);
    MPI_Win_create(cells + 8, sizeof cells / 2, sizeof(int), MPI_INFO_NULL, WORLD, &upper);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, whole);
        MPI_Put(&value, 1, MPI_INT, 0, 9, 1, MPI_INT, whole); /* WRONG */
        MPI_Win_unlock(0, whole);
    }
    if (rank == 2) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, upper);
        MPI_Put(&value, 1, MPI_INT, 0, TWIN(1, 2), 1, MPI_INT, upper); /* WRONG */
        MPI_Win_unlock(0, upper);
    }
    MPI_Barrier(WORLD);
    MPI_Win_free(&upper);
    MPI_Win_free(&whole);
}
