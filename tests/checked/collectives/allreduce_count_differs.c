/* Reductions of different lengths.
 *
 * ranks: 2
 * expect: collective.count
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    double mine[8] = {rank}, all[8];
    MPI_Allreduce(mine, all, rank == TWIN(1, -1) ? 4 : 8, MPI_DOUBLE, MPI_SUM, WORLD); /* WRONG */
}
