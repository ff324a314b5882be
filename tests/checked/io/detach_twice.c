/* A buffer is detached twice.
 *
 * ranks: 1
 * expect: buffered-send.detach
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int room = 1000 + MPI_BSEND_OVERHEAD;
    void *buffer = malloc(room), *old;
    MPI_Buffer_attach(buffer, room);
    MPI_Buffer_detach(&old, &room);
#ifndef RIGHT
    MPI_Buffer_detach(&old, &room); /* WRONG */
#endif
    free(buffer);
}
