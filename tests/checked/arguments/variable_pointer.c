/* What is received goes where the pointer is kept, not where it points.
 *
 * ranks: 2
 * flags: -O0
 * expect: argument.variable-short | argument.variable-type
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double values[1] = {0};
    double *buffer = malloc(sizeof *buffer), *kept = buffer;
    if (rank == 0)
        MPI_Send(values, 1, MPI_DOUBLE, 1, 0, WORLD);
    else
        MPI_Recv(TWIN((void *)&buffer, buffer), 1, MPI_DOUBLE, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    use(&buffer);
    free(kept);
}
