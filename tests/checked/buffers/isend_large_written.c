/* One element of a large message is changed under way.
 *
 * ranks: 2
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int count = 1 << 18;
    double *values = calloc(count, sizeof(double));
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(values, count, MPI_DOUBLE, 1, 0, WORLD, &request); /* WRONG */
#ifndef RIGHT
        values[count / 2] = 1;
#endif
        MPI_Send(NULL, 0, MPI_INT, 1, 1, WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    } else {
        MPI_Recv(NULL, 0, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(values, count, MPI_DOUBLE, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
    use(values);
    free(values);
}
