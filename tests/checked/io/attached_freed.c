/* The buffer for buffered sends is freed while it is attached.
 *
 * ranks: 2
 * expect: buffered-send.gone
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank, room = 4096;
    void *buffer = malloc(room), *old, *other = malloc(room);
    MPI_Buffer_attach(buffer, room);
    if (rank == 0)
        MPI_Bsend(&value, 1, MPI_INT, 1, 0, WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
#ifdef RIGHT
    MPI_Buffer_detach(&old, &room);
    free(buffer);
#else
    free(buffer);
    MPI_Buffer_detach(&old, &room); /* WRONG */
#endif
    free(other);
}
