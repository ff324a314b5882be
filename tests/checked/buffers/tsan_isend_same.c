/* What is being sent is written with the value that it has.
 *
 * ranks: 2
 * lines: first
 * flags: -fsanitize=thread
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    static int values[100];
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(values, 100, MPI_INT, 1, 0, WORLD, &request);
#ifndef RIGHT
        values[7] = 0; /* WRONG */
#endif
        /* Reading is allowed. */
        int first = values[7];
        use(&first);
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        values[7] = 0;
        use(values);
    } else {
        MPI_Barrier(WORLD);
        MPI_Recv(values, 100, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
}
