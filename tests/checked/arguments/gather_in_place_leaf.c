/* MPI_IN_PLACE in a gather on a rank that is not the root.
 *
 * ranks: 2
 * expect: argument.in-place
 * bare: openmpi=aborts mpich=crashes
 */
#include "../checked.h"

static void program(void)
{
    int all[2] = {rank, rank};
#ifdef RIGHT
    MPI_Gather(rank == 0 ? MPI_IN_PLACE : all, 1, MPI_INT, all, 1, MPI_INT, 0, WORLD);
#else
    MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, all, 1, MPI_INT, 0, WORLD); /* WRONG */
#endif
}
