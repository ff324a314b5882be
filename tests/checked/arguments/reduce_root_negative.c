/* The root of a reduction is negative.
 *
 * ranks: 2
 * expect: argument.root
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, sum;
    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, TWIN(-43, 0), WORLD); /* WRONG */
}
