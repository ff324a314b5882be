/* A buffer of the message's size without MPI_BSEND_OVERHEAD.
 *
 * ranks: 2
 * expect: buffered-send.buffer
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[1000] = {rank}, room = sizeof values + TWIN(0, MPI_BSEND_OVERHEAD);
    void *buffer = malloc(room);
    MPI_Request request;
    MPI_Buffer_attach(buffer, room);
    if (rank == 0) {
        MPI_Ibsend(values, 1000, MPI_INT, 1, 0, WORLD, &request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(values, 1000, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Buffer_detach(&buffer, &room);
    free(buffer);
}
