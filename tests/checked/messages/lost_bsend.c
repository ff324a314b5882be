/* A buffered message that nobody receives.
 *
 * ranks: 2
 * expect: message.lost
 * allow: deadlock.buffering
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank, room = sizeof(int) + MPI_BSEND_OVERHEAD;
    void *buffer = malloc(room);
    MPI_Buffer_attach(buffer, room);
    if (rank == 0)
        MPI_Bsend(&value, 1, MPI_INT, 1, 3, WORLD); /* WRONG */
#ifdef RIGHT
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 3, WORLD, MPI_STATUS_IGNORE);
#endif
    MPI_Barrier(WORLD);
    MPI_Buffer_detach(&buffer, &room);
    free(buffer);
}
