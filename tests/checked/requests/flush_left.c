/* The request of MPI_Buffer_iflush is never completed.
 *
 * ranks: 2
 * expect: request.never-completed
 * mpi: wheel-mpich wheel-abi
 * bare: wheel-mpich=ends wheel-abi=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[100] = {rank}, room = sizeof values + MPI_BSEND_OVERHEAD;
    void *buffer = malloc(room);
    MPI_Request request;
    MPI_Buffer_attach(buffer, room);
    if (rank == 0) {
        MPI_Bsend(values, 100, MPI_INT, 1, 0, WORLD);
        MPI_Buffer_iflush(&request); /* WRONG */
#ifdef RIGHT
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    } else {
        MPI_Recv(values, 100, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Buffer_detach(&buffer, &room);
    free(buffer);
}
