/* The root of a broadcast is the number of ranks, the same on all.
 *
 * ranks: 2
 * expect: argument.root
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Bcast(&value, 1, MPI_INT, TWIN(2, 1), WORLD); /* WRONG */
}
