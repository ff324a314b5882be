/* Receives of any source completed by MPI_Waitany.
 *
 * ranks: 3
 * expect: race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = 10 * rank, values[2], which;
    MPI_Request requests[2];
    if (rank == 0) {
        for (int n = 0; n < 2; n++)
            MPI_Irecv(&values[n], 1, MPI_INT, TWIN(MPI_ANY_SOURCE, n + 1), 0, WORLD, &requests[n]); /* WRONG */
        for (int n = 0; n < 2; n++)
            MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE); /* WRONG */
    } else {
        MPI_Send(&mine, 1, MPI_INT, 0, 0, WORLD);
    }
}
