/* A receive from a rank that is negative and no constant.
 *
 * ranks: 2
 * expect: argument.rank
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, TWIN(-17, 0), 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    else
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
}
