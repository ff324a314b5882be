/* What is being sent is cleared, which it was before.
 *
 * ranks: 2
 * lines: first
 * flags: -fsanitize=thread
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    size_t bytes = 3000 + size;
    char *buffer = calloc(1, bytes);
    MPI_Request request;
    if (rank == 1) {
        MPI_Isend(buffer, 3000, MPI_CHAR, 0, 0, WORLD, &request);
#ifndef RIGHT
        memset(buffer + size, 0, bytes - size); /* WRONG */
        use(buffer);
#endif
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        memset(buffer + size, 0, bytes - size);
        use(buffer);
    } else {
        MPI_Barrier(WORLD);
        MPI_Recv(buffer, 3000, MPI_CHAR, 1, 0, WORLD, MPI_STATUS_IGNORE);
    }
    free(buffer);
}
