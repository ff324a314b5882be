/* A message is taken by a matched probe and never received.
 *
 * ranks: 2
 * expect: message.lost | request.never-completed
 * allow: deadlock.buffering
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Message message;
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD); /* WRONG */
    } else {
        MPI_Mprobe(0, 0, WORLD, &message, MPI_STATUS_IGNORE); /* WRONG */
#ifdef RIGHT
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
#endif
    }
    MPI_Barrier(WORLD);
}
