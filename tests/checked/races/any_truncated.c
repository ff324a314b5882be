/* A short message and a long one to receives of any source, with room for the short one first.
 *
 * ranks: 3
 * expect: race.truncated
 * allow: race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[8] = {rank};
    if (rank == 0) {
        MPI_Recv(values, TWIN(1, 8), MPI_INT, TWIN(MPI_ANY_SOURCE, 1), 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Recv(values, 8, MPI_INT, TWIN(MPI_ANY_SOURCE, 2), 0, WORLD, MPI_STATUS_IGNORE);
    } else {
        if (rank == 2)
            pause_ms(200);
        MPI_Send(values, rank == 1 ? 1 : 8, MPI_INT, 0, 0, WORLD); /* WRONG */
    }
}
