/* The buffer of an active persistent receive is written.
 *
 * ranks: 2
 * expect: buffer.receive-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[16] = {rank};
    MPI_Request request;
    if (rank == 1) {
        MPI_Recv_init(values, 16, MPI_INT, 0, 0, WORLD, &request);
        MPI_Start(&request); /* WRONG */
#ifndef RIGHT
        values[2] = 99;
        use(values);
#endif
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Request_free(&request);
    } else {
        MPI_Barrier(WORLD);
        MPI_Send(values, 16, MPI_INT, 1, 0, WORLD);
    }
}
