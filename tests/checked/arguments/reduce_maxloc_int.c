/* MPI_MAXLOC on MPI_INT instead of MPI_2INT.
 *
 * ranks: 2
 * expect: argument.operation-datatype
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine[2] = {10 - rank, rank}, most[2];
    MPI_Reduce(mine, most, TWIN(2, 1), TWIN(MPI_INT, MPI_2INT), MPI_MAXLOC, 0, WORLD); /* WRONG */
}
