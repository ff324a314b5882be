/* A persistent send is started once more than it is received.
 *
 * ranks: 2
 * expect: message.lost
 * allow: deadlock.buffering
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Request request;
    if (rank == 0) {
        MPI_Send_init(&value, 1, MPI_INT, 1, 0, WORLD, &request); /* WRONG */
        for (int n = 0; n < TWIN(3, 2); n++) {
            MPI_Start(&request); /* WRONG */
            MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
        }
        MPI_Request_free(&request);
    } else {
        for (int n = 0; n < 2; n++)
            MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
}
