/* The buffer of a receive is written before the message has come.
 *
 * ranks: 2
 * expect: buffer.receive-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[100] = {rank};
    MPI_Request request;
    if (rank == 1) {
        MPI_Irecv(values, 100, MPI_INT, 0, 0, WORLD, &request); /* WRONG */
#ifndef RIGHT
        values[7] = 4;
        use(values);
#endif
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
        values[7] = 4;
        use(values);
    } else {
        MPI_Barrier(WORLD);
        MPI_Send(values, 100, MPI_INT, 1, 0, WORLD);
    }
}
