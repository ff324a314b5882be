/* The result of a non-blocking reduction is used before the wait.
 *
 * ranks: 2
 * expect: buffer.receive-read
 * lines: first
 * options: --guard
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double mine = rank, sum = 0, twice = 0;
    MPI_Request request;
    MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, WORLD, &request);
    use(&sum);
#ifndef RIGHT
    twice = 2 * sum; /* WRONG */
#endif
    use(&twice);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    twice = 2 * sum;
    use(&twice);
}
