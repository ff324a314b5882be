/* The request of a send is freed, and nothing proves that the send is over before MPI_Finalize.
 *
 * ranks: 2
 * expect: request.freed-unconfirmed
 * lines: first
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    static int values[1000];
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(values, 1000, MPI_INT, 1, 0, WORLD, &request);
#ifdef RIGHT
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
        MPI_Request_free(&request); /* WRONG */
#endif
    } else {
        MPI_Recv(values, 1000, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
}
