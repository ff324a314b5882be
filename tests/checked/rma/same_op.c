/* Ranks add to a counter and read it atomically, in a window that promises one operation only.
 *
 * ranks: 2
 * expect: rma.conflict-accumulate
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    long *counter, one = 1, seen;
    MPI_Info info;
    MPI_Win window;
    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ops", TWIN("same_op", "same_op_no_op"));
    MPI_Win_allocate(sizeof(long), sizeof(long), info, WORLD, &counter, &window);
    MPI_Info_free(&info);
    *counter = 0;
    MPI_Barrier(WORLD);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, window); /* WRONG */
    else
        MPI_Fetch_and_op(NULL, &seen, MPI_LONG, 0, 0, MPI_NO_OP, window); /* WRONG */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}
