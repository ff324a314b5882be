/* The 64-bit form of a send with a negative count.
 *
 * ranks: 2
 * expect: argument.count
 * mpi: mpich
 * bare: mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 0)
        MPI_Send_c(&value, TWIN((MPI_Count)-5, 1), MPI_INT, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv_c(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
}
