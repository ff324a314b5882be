/* A buffered send without a buffer.
 *
 * ranks: 2
 * expect: buffered-send.buffer
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank, room = sizeof(int) + MPI_BSEND_OVERHEAD;
    void *buffer = malloc(room);
#ifdef RIGHT
    MPI_Buffer_attach(buffer, room);
#endif
    if (rank == 0)
        MPI_Bsend(&value, 1, MPI_INT, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
#ifdef RIGHT
    MPI_Buffer_detach(&buffer, &room);
#endif
    free(buffer);
}
