/* The target stores into its window where another rank puts in the same epoch.
 *
 * ranks: 2
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
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window); /* WRONG */
#ifdef RIGHT
    MPI_Win_fence(0, window);
#endif
    if (rank == 1) {
        pause_ms(20);
        memory[0] = 42;
        use(memory);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window); /* WRONG */
    MPI_Win_free(&window);
}
