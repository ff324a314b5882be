/* A receive whose count is larger than what was allocated.
 *
 * ranks: 2
 * expect: argument.buffer-short
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    /* Bytes where numbers were meant. The message is short, so nothing is damaged yet. */
    double *values = malloc(TWIN(1000, 1000 * sizeof(double)));
    if (rank == 1) {
        MPI_Recv(values, 1000, MPI_DOUBLE, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    } else {
        memset(values, 0, 1000);
        MPI_Send(values, 10, MPI_DOUBLE, 1, 0, WORLD);
    }
    free(values);
}
