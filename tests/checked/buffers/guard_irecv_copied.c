/* memcpy takes data out of a large receive buffer before the wait.
 *
 * ranks: 2
 * expect: buffer.receive-read
 * lines: first
 * options: --guard
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

enum { COUNT = 400000 };

static volatile size_t room = 100000;

static void program(void)
{
    char *values = calloc(COUNT, 1), *copy = calloc(COUNT, 1);
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(values, COUNT, MPI_CHAR, 1, 0, WORLD, &request);
        MPI_Barrier(WORLD);
#ifndef RIGHT
        memcpy(copy, values + room, room); /* WRONG */
#endif
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        memcpy(copy, values + room, room);
        use(copy);
    } else {
        MPI_Barrier(WORLD);
        MPI_Send(values, COUNT, MPI_CHAR, 0, 0, WORLD);
    }
    free(values);
    free(copy);
}
