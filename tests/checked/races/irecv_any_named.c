/* Receives of any source and of rank 1 are posted together: the first one may take what the second waits for.
 *
 * ranks: 3
 * expect: race.deadlock
 * allow: race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, values[2];
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Irecv(&values[0], 1, MPI_INT, TWIN(MPI_ANY_SOURCE, 2), 0, WORLD, &requests[0]); /* WRONG */
        MPI_Irecv(&values[1], 1, MPI_INT, 1, 0, WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* WRONG */
        printf("%d\n", values[0] + values[1]);
    } else {
        if (rank == 1)
            pause_ms(200);
        MPI_Send(&mine, 1, MPI_INT, 0, 0, WORLD);
    }
}
