/* A second buffer is attached.
 *
 * ranks: 1
 * expect: buffered-send.buffer | argument.value
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int room = 1000 + MPI_BSEND_OVERHEAD;
    char *rooms = malloc(2 * room);
    void *old;
    MPI_Buffer_attach(rooms, room);
#ifdef RIGHT
    MPI_Buffer_detach(&old, &room);
#endif
    MPI_Buffer_attach(rooms + room, room); /* WRONG */
    MPI_Buffer_detach(&old, &room);
    free(rooms);
}
