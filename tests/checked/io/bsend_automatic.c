/* The MPI makes room for buffered sends by itself, but the program's own buffer, attached after that, is too small.
 *
 * ranks: 2
 * expect: buffered-send.buffer
 * mpi: wheel-mpich wheel-abi
 * bare: wheel-mpich=aborts wheel-abi=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[1000] = {rank}, room = 2000 + MPI_BSEND_OVERHEAD;
    void *buffer = malloc(room), *old;
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    if (rank == 0)
        MPI_Bsend(values, 1000, MPI_INT, 1, 0, WORLD);
    else
        MPI_Recv(values, 1000, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_flush();
    MPI_Buffer_detach(&old, &room);
    room = 2000 + MPI_BSEND_OVERHEAD;
    MPI_Buffer_attach(buffer, room);
    if (rank == 0)
        MPI_Bsend(values, TWIN(1000, 500), MPI_INT, 1, 1, WORLD); /* WRONG */
    else
        MPI_Recv(values, 1000, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&buffer, &room);
    free(buffer);
}
