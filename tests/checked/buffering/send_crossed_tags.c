/* Two messages are received in the other order; the first has to be kept.
 *
 * ranks: 2
 * expect: deadlock.buffering
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[2] = {rank, rank};
    if (rank == 0) {
        MPI_Send(&values[0], 1, MPI_INT, 1, 1, WORLD); /* WRONG */
        MPI_Send(&values[1], 1, MPI_INT, 1, 2, WORLD);
    } else {
        MPI_Recv(&values[1], 1, MPI_INT, 0, TWIN(2, 1), WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Recv(&values[0], 1, MPI_INT, 0, TWIN(1, 2), WORLD, MPI_STATUS_IGNORE);
    }
}
