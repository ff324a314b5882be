/* The receiver stops one message early.
 *
 * ranks: 2
 * expect: message.lost
 * allow: deadlock.buffering
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    for (int step = 0; step < 5; step++)
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD); /* WRONG */
        else if (step < TWIN(4, 5))
            MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
}
