/* A send of more than was allocated.
 *
 * ranks: 2
 * expect: argument.buffer-short
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int count = 4096;
    int *values = calloc(count, sizeof(int));
#ifndef RIGHT
    values = realloc(values, 100 * sizeof(int));
#endif
    if (rank == 0) {
        MPI_Send(values, count, MPI_INT, 1, 0, WORLD); /* WRONG */
    } else {
        int *there = malloc(count * sizeof(int));
        MPI_Recv(there, count, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
        free(there);
    }
    free(values);
}
