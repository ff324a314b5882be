/* The attached buffer is smaller than the message.
 *
 * ranks: 2
 * expect: buffered-send.buffer
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *values = calloc(1000, sizeof(int)), room = TWIN(1000, 4000) + MPI_BSEND_OVERHEAD;
    void *buffer = malloc(room);
    MPI_Buffer_attach(buffer, room);
    if (rank == 0)
        MPI_Bsend(values, 1000, MPI_INT, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(values, 1000, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&buffer, &room);
    free(buffer);
    free(values);
}
