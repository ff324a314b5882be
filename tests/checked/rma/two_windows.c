/* Two ranks put to the same memory through two windows that overlap.
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
    MPI_Win_fence(0, whole);
    MPI_Win_fence(0, upper);
    if (rank == 1)
        MPI_Put(&value, 1, MPI_INT, 0, 9, 1, MPI_INT, whole); /* WRONG */
    if (rank == 2)
        MPI_Put(&value, 1, MPI_INT, 0, TWIN(1, 2), 1, MPI_INT, upper); /* WRONG */
    MPI_Win_fence(0, whole);
    MPI_Win_fence(0, upper);
    MPI_Win_free(&upper);
    MPI_Win_free(&whole);
}
