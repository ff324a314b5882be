/* The buffer of a persistent receive is read after it was started.
 *
 * ranks: 2
 * lines: first
 * flags: -fsanitize=thread
 * expect: buffer.receive-read
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static int values[30];

static void program(void)
{
    MPI_Request request;
    int sum = 0;
    if (rank == 0) {
        MPI_Recv_init(values, 30, MPI_INT, 1, 0, WORLD, &request);
        for (int i = 0; i < 3; i++) {
            sum += values[1];
            MPI_Start(&request);
#ifndef RIGHT
            sum += values[1]; /* WRONG */
#endif
            MPI_Send(NULL, 0, MPI_INT, 1, 1, WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&request);
    } else {
        for (int i = 0; i < 3; i++) {
            MPI_Recv(NULL, 0, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE);
            MPI_Send(values, 30, MPI_INT, 0, 0, WORLD);
        }
    }
    use(&sum);
}
