/* The same buffer for both, without MPI_IN_PLACE.
 *
 * ranks: 2
 * expect: argument.buffers-overlap
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Allreduce(TWIN(&value, MPI_IN_PLACE), &value, 1, MPI_INT, MPI_SUM, WORLD); /* WRONG */
    use(&value);
}
