/* Two non-blocking reductions write the same result.
 *
 * ranks: 2
 * expect: buffer.in-use
 * allow: buffer.receive-written buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine[2] = {rank, 1}, sums[2];
    MPI_Request requests[2];
    MPI_Iallreduce(&mine[0], &sums[0], 1, MPI_INT, MPI_SUM, WORLD, &requests[0]); /* WRONG */
    MPI_Iallreduce(&mine[1], &sums[TWIN(0, 1)], 1, MPI_INT, MPI_MAX, WORLD, &requests[1]); /* WRONG */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
