/* A receive of any source before one of rank 1: if it takes rank 1's message, the second waits for ever.
 *
 * ranks: 3
 * expect: race.deadlock
 * allow: race.receive
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, TWIN(MPI_ANY_SOURCE, 2), 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Recv(&value, 1, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    } else {
        if (rank == 1)
            pause_ms(200);
        MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
    }
}
