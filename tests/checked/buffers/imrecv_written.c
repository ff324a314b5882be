/* The buffer of a matched non-blocking receive is written before the wait.
 *
 * ranks: 2
 * expect: buffer.receive-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int count = 1 << 17, *values = calloc(count, sizeof(int));
    MPI_Message message;
    MPI_Request request;
    if (rank == 0) {
        memset(values, 1, count * sizeof(int));
        MPI_Send(values, count, MPI_INT, 1, 0, WORLD);
    } else {
        MPI_Mprobe(0, 0, WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(values, count, MPI_INT, &message, &request); /* WRONG */
#ifndef RIGHT
        values[count - 1] = 5;
        use(values);
#endif
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    }
    free(values);
}
