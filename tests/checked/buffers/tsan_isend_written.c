/* What is being sent is changed: the line that writes is known.
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
    int values[5000] = {0};
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(values, 5000, MPI_INT, 1, 0, WORLD, &request);
#ifndef RIGHT
        values[1234] = 1; /* WRONG */
        use(values);
#endif
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        values[1234] = 1;
        use(values);
    } else {
        MPI_Barrier(WORLD);
        MPI_Recv(values, 5000, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
}
