/* What is being received is read before it has come.
 *
 * ranks: 2
 * lines: first
 * flags: -fsanitize=thread
 * expect: buffer.receive-read
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static double field[3000];

static void program(void)
{
    MPI_Request request;
    double sum = 0;
    if (rank == 1) {
        MPI_Irecv(field, 3000, MPI_DOUBLE, 0, 0, WORLD, &request);
#ifndef RIGHT
        sum += field[2999]; /* WRONG */
#endif
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        sum += field[2999];
    } else {
        MPI_Barrier(WORLD);
        MPI_Send(field, 3000, MPI_DOUBLE, 1, 0, WORLD);
    }
    use(&sum);
}
