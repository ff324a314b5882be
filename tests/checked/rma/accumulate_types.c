/* Two origins accumulate with different datatypes.
 *
 * ranks: 3
 * expect: rma.conflict-accumulate
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
    unsigned other = rank;
    MPI_Win_fence(0, window);
#ifndef RIGHT
    if (rank == 1)
        MPI_Accumulate(&other, 1, MPI_UNSIGNED, 0, 0, 1, MPI_UNSIGNED, MPI_SUM, window); /* WRONG */
#else
    if (rank == 1)
        MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
#endif
    if (rank == 2)
        MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window); /* WRONG */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    use(&other);
    MPI_Win_free(&window);
}
