/* A standard send where a buffered one was needed.
 *
 * ranks: 2
 * expect: deadlock.buffering
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
#ifdef RIGHT
    int room = sizeof(int) + MPI_BSEND_OVERHEAD;
    void *buffer = malloc(room);
    MPI_Buffer_attach(buffer, room);
    MPI_Bsend(&mine, 1, MPI_INT, 1 - rank, 0, WORLD);
#else
    MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, WORLD); /* WRONG */
#endif
    MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE);
#ifdef RIGHT
    MPI_Buffer_detach(&buffer, &room);
    free(buffer);
#endif
}
