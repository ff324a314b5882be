/* Two sends have one buffer, which is changed when the first is complete.
 *
 * ranks: 2
 * expect: buffer.send-written
 * lines: first
 * options: --guard
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

enum { COUNT = 60000 };

static void program(void)
{
    int *values = calloc(COUNT, sizeof *values);
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Issend(values, COUNT, MPI_INT, 1, 0, WORLD, &requests[0]);
        MPI_Issend(values, COUNT, MPI_INT, 1, 1, WORLD, &requests[1]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
#ifndef RIGHT
        values[30000] = 1; /* WRONG */
#endif
        use(values);
        MPI_Barrier(WORLD);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        values[30000] = 2;
        use(values);
    } else {
        MPI_Recv(values, COUNT, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(WORLD);
        MPI_Recv(values, COUNT, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE);
    }
    free(values);
}
