/* The buffer of a send is written after its request was freed, before the receiver has answered.
 *
 * ranks: 2
 * expect: buffer.freed-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

#define N 100000

static void program(void)
{
    static int values[N];
    int answer = 0;
    if (rank == 0) {
        MPI_Request request;
        MPI_Isend(values, N, MPI_INT, 1, 0, WORLD, &request); /* WRONG */
        MPI_Request_free(&request);
#ifndef RIGHT
        for (int i = 0; i < N; i++)
            values[i] = i;
#endif
        MPI_Recv(&answer, 1, MPI_INT, 1, 1, WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++)
            values[i] = -i;
    } else {
        MPI_Recv(values, N, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&answer, 1, MPI_INT, 0, 1, WORLD);
    }
    use(values);
}
