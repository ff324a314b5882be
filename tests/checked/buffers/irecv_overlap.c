/* The last element of one receive is the first of the next one.
 *
 * ranks: 3
 * expect: buffer.in-use
 * allow: buffer.receive-written buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double values[8] = {rank};
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Irecv(&values[0], 4, MPI_DOUBLE, 1, 0, WORLD, &requests[0]); /* WRONG */
        MPI_Irecv(&values[TWIN(3, 4)], 4, MPI_DOUBLE, 2, 0, WORLD, &requests[1]); /* WRONG */
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Send(values, 4, MPI_DOUBLE, 0, 0, WORLD);
    }
}
