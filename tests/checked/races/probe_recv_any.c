/* What was probed is not what is received: the receive takes any source too.
 *
 * ranks: 3
 * expect: race.probe | race.receive
 * allow: race.probe race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    /* Rank 1's message is probed; which one the receive takes is open. */
    int values[64] = {rank}, count;
    MPI_Status status;
    if (rank == 0) {
        for (int n = 1; n < size; n++) {
            MPI_Probe(TWIN(MPI_ANY_SOURCE, n), 0, WORLD, &status); /* WRONG */
            MPI_Get_count(&status, MPI_INT, &count);
            MPI_Recv(values, 64, MPI_INT, TWIN(MPI_ANY_SOURCE, n), 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        }
    } else {
        MPI_Send(values, rank, MPI_INT, 0, 0, WORLD);
    }
}
