/* Each rank empties its buffer before it receives from the other one.
 *
 * ranks: 2
 * expect: deadlock.buffering
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs, room = sizeof(int) + MPI_BSEND_OVERHEAD;
    void *buffer = malloc(room);
    MPI_Buffer_attach(buffer, room);
    MPI_Bsend(&mine, 1, MPI_INT, 1 - rank, 0, WORLD);
#ifdef RIGHT
    MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&buffer, &room);
#else
    MPI_Buffer_detach(&buffer, &room); /* WRONG */
    MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE);
#endif
    free(buffer);
}
