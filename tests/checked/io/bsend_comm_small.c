/* The communicator's own buffer is smaller than the message: that of the process, which is not, is not used then.
 *
 * ranks: 2
 * expect: buffered-send.buffer
 * mpi: wheel-mpich wheel-abi
 * bare: wheel-mpich=aborts wheel-abi=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[1000] = {rank}, room = sizeof values + MPI_BSEND_OVERHEAD, little = TWIN(room / 2, room);
    void *buffer = malloc(room), *own = malloc(little);
    MPI_Buffer_attach(buffer, room);
    MPI_Comm_attach_buffer(WORLD, own, little);
    if (rank == 0)
        MPI_Bsend(values, 1000, MPI_INT, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(values, 1000, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_flush_buffer(WORLD);
    MPI_Comm_detach_buffer(WORLD, &own, &little);
    MPI_Buffer_detach(&buffer, &room);
    free(own);
    free(buffer);
}
