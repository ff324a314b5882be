/* The request of a send is freed; only an answer would prove that the send is over, and there is none.
 *
 * ranks: 2
 * expect: request.freed-unconfirmed
 * lines: first
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    static double values[4000];
    int answer = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Send_init(values, 4000, MPI_DOUBLE, 1, 0, WORLD, &request);
        MPI_Start(&request);
        MPI_Request_free(&request); /* WRONG */
#ifdef RIGHT
        MPI_Recv(&answer, 1, MPI_INT, 1, 1, WORLD, MPI_STATUS_IGNORE);
#endif
    } else {
        MPI_Recv(values, 4000, MPI_DOUBLE, 0, 0, WORLD, MPI_STATUS_IGNORE);
#ifdef RIGHT
        MPI_Send(&answer, 1, MPI_INT, 0, 1, WORLD);
#endif
    }
    use(&answer);
}
