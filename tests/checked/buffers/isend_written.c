/* The buffer of a non-blocking send is changed before the wait.
 *
 * ranks: 2
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[1000] = {rank};
    MPI_Request request;
    if (rank == 0) {
        MPI_Issend(values, 1000, MPI_INT, 1, 0, WORLD, &request); /* WRONG */
#ifndef RIGHT
        values[10] = 77;
#endif
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
        values[10] = 77;
        use(values);
    } else {
        MPI_Barrier(WORLD);
        MPI_Recv(values, 1000, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
}
