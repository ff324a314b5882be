/* A matched receive that is shorter than what the probe found.
 *
 * ranks: 2
 * expect: message.truncated
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[8] = {rank}, count;
    MPI_Message message;
    MPI_Status status;
    if (rank == 0) {
        MPI_Send(values, 8, MPI_INT, 1, 0, WORLD); /* WRONG */
    } else {
        MPI_Mprobe(0, 0, WORLD, &message, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Mrecv(values, TWIN(count - 1, count), MPI_INT, &message, MPI_STATUS_IGNORE); /* WRONG */
    }
}
