/* A plain get of what others accumulate; MPI_Get_accumulate with MPI_NO_OP is right.
 *
 * ranks: 3
 * expect: rma.conflict | rma.conflict-accumulate
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
    int seen = 0;
    MPI_Win_fence(0, window);
    if (rank == 1)
        MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window); /* WRONG */
#ifdef RIGHT
    if (rank == 2)
        MPI_Get_accumulate(NULL, 0, MPI_INT, &seen, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, window);
#else
    if (rank == 2)
        MPI_Get(&seen, 1, MPI_INT, 0, 0, 1, MPI_INT, window); /* WRONG */
#endif
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    use(&seen);
    MPI_Win_free(&window);
}
