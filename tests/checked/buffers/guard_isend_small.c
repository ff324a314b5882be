/* The last element of a small send buffer on the stack is changed before the wait.
 *
 * ranks: 2
 * expect: buffer.send-written
 * lines: first
 * options: --guard
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[10] = {rank};
    MPI_Request request;
    if (rank == 0) {
        MPI_Issend(values, 10, MPI_INT, 1, 0, WORLD, &request);
        use(values);
#ifndef RIGHT
        values[9] = 77; /* WRONG */
#endif
        use(values);
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        values[9] = 77;
        use(values);
    } else {
        MPI_Barrier(WORLD);
        MPI_Recv(values, 10, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
}
