/* A number that is being received is used before the wait, in a program that is checked as ever.
 *
 * ranks: 2
 * expect: buffer.receive-read
 * lines: first
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int count = 0, other = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(&count, 1, MPI_INT, 1, 0, WORLD, &request);
        MPI_Barrier(WORLD);
        use(&count);
#ifndef RIGHT
        other += count; /* WRONG */
#endif
        use(&other);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        other += count;
        use(&other);
    } else {
        count = 5;
        MPI_Barrier(WORLD);
        MPI_Send(&count, 1, MPI_INT, 0, 0, WORLD);
    }
}
