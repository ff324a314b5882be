/* A buffer is attached to another communicator than the one of the buffered send.
 *
 * ranks: 2
 * expect: buffered-send.buffer
 * mpi: wheel-mpich wheel-abi
 * bare: wheel-mpich=aborts wheel-abi=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[1000] = {rank}, room = sizeof values + MPI_BSEND_OVERHEAD;
    void *buffer = malloc(room);
    MPI_Comm other;
    MPI_Comm_dup(WORLD, &other);
    MPI_Comm_attach_buffer(other, buffer, room);
    if (rank == 0)
        MPI_Bsend(values, 1000, MPI_INT, 1, 0, TWIN(WORLD, other)); /* WRONG */
    else
        MPI_Recv(values, 1000, MPI_INT, 0, 0, TWIN(WORLD, other), MPI_STATUS_IGNORE);
    MPI_Comm_detach_buffer(other, &buffer, &room);
    MPI_Comm_free(&other);
    free(buffer);
}
