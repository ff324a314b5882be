/* The result of a non-blocking reduction is sent before it is there.
 *
 * ranks: 2
 * expect: buffer.in-use
 * allow: buffer.receive-written buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, sum = 0, other;
    MPI_Request request;
    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, WORLD, &request); /* WRONG */
#ifdef RIGHT
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    MPI_Sendrecv(&sum, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
#ifndef RIGHT
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
}
