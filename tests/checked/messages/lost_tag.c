/* A message with the wrong tag is never received; the right one is sent later.
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
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 6, WORLD); /* WRONG */
#ifndef RIGHT
        MPI_Send(&value, 1, MPI_INT, 1, 7, WORLD);
#endif
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, TWIN(7, 6), WORLD, MPI_STATUS_IGNORE);
    }
}
