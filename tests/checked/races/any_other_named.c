/* The second receive names rank 1, whoever came first; right: the one that did not.
 *
 * ranks: 3
 * expect: race.deadlock
 * allow-both: race.receive
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Status status;
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &status); /* WRONG */
        MPI_Recv(&value, 1, MPI_INT, TWIN(1, 3 - status.MPI_SOURCE), 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    } else {
        if (rank == 1)
            pause_ms(200);
        MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
    }
}
