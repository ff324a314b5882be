/* A communicator's buffer with room for one message, and two that nobody has received yet.
 *
 * ranks: 2
 * expect: buffered-send.buffer
 * mpi: wheel-mpich wheel-abi
 * bare: wheel-mpich=ends wheel-abi=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[2000] = {rank}, room = TWIN(1, 2) * (4000 + MPI_BSEND_OVERHEAD);
    void *buffer = malloc(room);
    MPI_Comm_attach_buffer(WORLD, buffer, room);
    if (rank == 0) {
        MPI_Bsend(values, 1000, MPI_INT, 1, 0, WORLD);
        MPI_Bsend(values + 1000, 1000, MPI_INT, 1, 1, WORLD); /* WRONG */
        MPI_Barrier(WORLD);
    } else {
        MPI_Barrier(WORLD);
        MPI_Recv(values, 1000, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(values + 1000, 1000, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Comm_detach_buffer(WORLD, &buffer, &room);
    free(buffer);
}
