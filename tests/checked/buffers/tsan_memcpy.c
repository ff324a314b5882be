/* What is being received is copied before it has come.
 *
 * ranks: 2
 * lines: first
 * flags: -fsanitize=thread
 * expect: buffer.receive-read
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    size_t bytes = 100000;
    char *buffer = calloc(1, bytes), *copy = calloc(1, bytes);
    MPI_Request request;
    if (rank == 1) {
        MPI_Irecv(buffer, bytes, MPI_CHAR, 0, 0, WORLD, &request);
#ifndef RIGHT
        memcpy(copy, buffer, bytes); /* WRONG */
#endif
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        use(copy);
        memcpy(copy, buffer, bytes);
    } else {
        MPI_Barrier(WORLD);
        MPI_Send(buffer, bytes, MPI_CHAR, 1, 0, WORLD);
    }
    use(copy);
    free(buffer);
    free(copy);
}
