/* A loop reads all of what is being received.
 *
 * ranks: 2
 * lines: first
 * flags: -fsanitize=thread
 * expect: buffer.receive-read
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static int values[20000];

static void program(void)
{
    MPI_Request request;
    long sum = 0;
    for (int round = 0; round < 5; round++) {
        if (rank == 1) {
            MPI_Irecv(values, 20000, MPI_INT, 0, 0, WORLD, &request);
#ifdef RIGHT
            MPI_Barrier(WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
            for (int i = 0; i < 20000; i++)
                sum += values[i]; /* WRONG */
#ifndef RIGHT
            MPI_Barrier(WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
        } else {
            MPI_Barrier(WORLD);
            MPI_Send(values, 20000, MPI_INT, 1, 0, WORLD);
        }
    }
    use(&sum);
}
