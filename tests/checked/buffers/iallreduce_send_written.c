/* The contribution to a non-blocking reduction is changed before the wait.
 *
 * ranks: 3
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double mine[8] = {rank}, sum[8];
    MPI_Request request;
    MPI_Iallreduce(mine, sum, 8, MPI_DOUBLE, MPI_SUM, WORLD, &request); /* WRONG */
#ifndef RIGHT
    mine[0] += 1;
    use(mine);
#endif
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    mine[0] += sum[0];
    use(mine);
}
