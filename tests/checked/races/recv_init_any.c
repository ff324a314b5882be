/* A persistent receive of any source, started twice.
 *
 * ranks: 3
 * expect: race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = 10 * rank, value;
    MPI_Request requests[2];
    if (rank == 0) {
        for (int n = 0; n < 2; n++)
            MPI_Recv_init(&value, 1, MPI_INT, TWIN(MPI_ANY_SOURCE, n + 1), 0, WORLD, &requests[n]); /* WRONG */
        for (int n = 0; n < 2; n++) {
            MPI_Start(&requests[n]); /* WRONG */
            MPI_Wait(&requests[n], MPI_STATUS_IGNORE); /* WRONG */
        }
        for (int n = 0; n < 2; n++)
            MPI_Request_free(&requests[n]);
    } else {
        MPI_Send(&mine, 1, MPI_INT, 0, 0, WORLD);
    }
}
