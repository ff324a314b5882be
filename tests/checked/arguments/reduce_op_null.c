/* A reduction with MPI_OP_NULL.
 *
 * ranks: 2
 * expect: argument.operation
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, sum;
    MPI_Reduce(&mine, &sum, 1, MPI_INT, TWIN(MPI_OP_NULL, MPI_SUM), 0, WORLD); /* WRONG */
}
