/* A large message, which waits for its receive, is too long for it.
 *
 * ranks: 2
 * expect: message.truncated
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int count = 1 << 19;
    double *values = calloc(count, sizeof(double));
    if (rank == 0)
        MPI_Send(values, count, MPI_DOUBLE, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(values, TWIN(count / 2, count), MPI_DOUBLE, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    free(values);
}
