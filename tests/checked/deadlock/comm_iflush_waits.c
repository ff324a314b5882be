/* The request that flushes a communicator's buffer is waited for before the other side can receive what is in it.
 *
 * ranks: 2
 * expect: deadlock.cycle
 * lines: all
 * mpi: wheel-mpich wheel-abi
 * bare: wheel-mpich=hangs wheel-abi=hangs
 */
#include "../checked.h"

#define N (1 << 20)

static void program(void)
{
    static int values[N];
    int room = sizeof values + MPI_BSEND_OVERHEAD, go = 1;
    void *buffer = malloc(room);
    MPI_Comm own;
    MPI_Request request;
    MPI_Comm_dup(WORLD, &own);
    if (rank == 0) {
        MPI_Comm_attach_buffer(own, buffer, room);
        MPI_Bsend(values, N, MPI_INT, 1, 0, own);
        MPI_Comm_iflush_buffer(own, &request);
        TWIN(, MPI_Send(&go, 1, MPI_INT, 1, 1, WORLD));
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
        TWIN(MPI_Send(&go, 1, MPI_INT, 1, 1, WORLD), );
        MPI_Comm_detach_buffer(own, &buffer, &room);
    } else {
        MPI_Recv(&go, 1, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Recv(values, N, MPI_INT, 0, 0, own, MPI_STATUS_IGNORE);
    }
    free(buffer);
    MPI_Comm_free(&own);
}
