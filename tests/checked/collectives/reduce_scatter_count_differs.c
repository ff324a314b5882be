/* The lists of MPI_Reduce_scatter differ, their sums do not.
 *
 * ranks: 2
 * expect: collective.count
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine[4] = {1, 2, 3, 4}, sum[4], counts[2];
    counts[0] = rank == TWIN(1, -1) ? 1 : 2;
    counts[1] = 4 - counts[0];
    MPI_Reduce_scatter(mine, sum, counts, MPI_INT, MPI_SUM, WORLD); /* WRONG */
}
