/* An element in the middle of a large buffer is changed in each step: first only its block is known, then the element, then by whom.
 *
 * ranks: 2
 * expect: buffer.send-written
 * lines: first
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[5000] = {rank};
    MPI_Request request;
    for (int step = 0; step < 4; step++) {
        if (rank == 0) {
            MPI_Issend(values, 5000, MPI_INT, 1, 0, WORLD, &request);
            use(values);
#ifndef RIGHT
            values[1777] += 1; /* WRONG */
#endif
            use(values);
            MPI_Barrier(WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            values[1777] += 1;
            use(values);
        } else {
            MPI_Barrier(WORLD);
            MPI_Recv(values, 5000, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
        }
    }
}
