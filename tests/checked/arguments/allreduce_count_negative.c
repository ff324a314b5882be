/* A negative count in a reduction to all.
 *
 * ranks: 2
 * expect: argument.count
 * bare: openmpi=aborts mpich=crashes
 */
#include "../checked.h"

static void program(void)
{
    int mine[2] = {rank, rank}, sum[2];
    MPI_Allreduce(mine, sum, TWIN(-2, 2), MPI_INT, MPI_SUM, WORLD); /* WRONG */
}
