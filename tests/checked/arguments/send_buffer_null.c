/* A send of something from a null pointer.
 *
 * ranks: 2
 * expect: argument.buffer-null
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *values = NULL, value[4] = {rank};
#ifdef RIGHT
    values = value;
#endif
    if (rank == 0)
        MPI_Send(values, 4, MPI_INT, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(value, 4, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
}
