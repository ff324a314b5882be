/* Both buffers are written after MPI_Request_get_status_any has reported one receive as complete.
 *
 * ranks: 2
 * expect: buffer.receive-written
 * lines: any
 * mpi: wheel-mpich wheel-abi
 * bare: wheel-mpich=ends wheel-abi=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[2][500] = {{rank}}, which, done = 0, other = rank;
    MPI_Request requests[2];
    if (rank == 0) {
        for (int n = 0; n < 2; n++)
            MPI_Irecv(values[n], 500, MPI_INT, 1, n, WORLD, &requests[n]); /* WRONG */
        while (!done)
            MPI_Request_get_status_any(2, requests, &which, &done, MPI_STATUS_IGNORE);
        memset(values[TWIN(1 - which, which)], 1, sizeof values[0]);
        MPI_Send(&other, 1, MPI_INT, 1, 2, WORLD);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        use(values);
    } else {
        MPI_Send(values[0], 500, MPI_INT, 0, 0, WORLD);
        MPI_Recv(&other, 1, MPI_INT, 0, 2, WORLD, MPI_STATUS_IGNORE);
        MPI_Send(values[1], 500, MPI_INT, 0, 1, WORLD);
    }
}
