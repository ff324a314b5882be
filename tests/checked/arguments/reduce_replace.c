/* MPI_REPLACE in a reduction; it is for accumulates.
 *
 * ranks: 2
 * expect: argument.operation
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, sum;
    MPI_Reduce(&mine, &sum, 1, MPI_INT, TWIN(MPI_REPLACE, MPI_MAX), 0, WORLD); /* WRONG */
}
