/* The buffer of a persistent send is changed while it is active.
 *
 * ranks: 2
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[16] = {rank};
    MPI_Request request;
    if (rank == 0)
        MPI_Ssend_init(values, 16, MPI_INT, 1, 0, WORLD, &request);
    else
        MPI_Recv_init(values, 16, MPI_INT, 0, 0, WORLD, &request);
    for (int step = 0; step < 3; step++) {
#ifdef RIGHT
        if (rank == 0)
            values[5] = step + 100;
        use(values);
#endif
        if (rank == 1)
            work_ms(50);
        MPI_Start(&request); /* WRONG */
#ifndef RIGHT
        if (rank == 0)
            values[5] = step + 100;
        use(values);
#endif
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    }
    MPI_Request_free(&request);
}
