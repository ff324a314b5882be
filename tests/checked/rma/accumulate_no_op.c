/* MPI_NO_OP is for accesses that bring something back; those need no origin buffer then.
 * 
 * ranks: 2
 * expect: argument.operation
 * bare: openmpi=ends|aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *cells, value = 1;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &cells, &window);
    *cells = rank;
    MPI_Win_fence(0, window);
#ifdef RIGHT
    MPI_Fetch_and_op(NULL, &value, MPI_INT, 1 - rank, 0, MPI_NO_OP, window);
#else
    MPI_Accumulate(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, MPI_NO_OP, window); /* WRONG */
#endif
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
