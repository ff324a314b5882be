/* An int is sent as MPI_DOUBLE.
 *
 * ranks: 2
 * flags: -O0
 * expect: argument.variable-type
 * allow-both: message.untyped
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double there = 0;
    int steps = 100 + rank;
    if (rank == 0)
        MPI_Send(&steps, 1, TWIN(MPI_DOUBLE, MPI_INT), 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(&there, sizeof there, MPI_BYTE, 0, 0, WORLD, MPI_STATUS_IGNORE);
    use(&there);
}
