/* MPI_IN_PLACE in a reduction on all ranks, not on the root alone.
 *
 * ranks: 2
 * expect: argument.in-place
 * bare: openmpi=aborts mpich=crashes
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
#ifdef RIGHT
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : &value, &value, 1, MPI_INT, MPI_SUM, 0, WORLD);
#else
    MPI_Reduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, 0, WORLD); /* WRONG */
#endif
}
