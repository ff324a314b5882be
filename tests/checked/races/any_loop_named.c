/* All but the last result are taken from whoever comes first, and the last one from rank 1, which may have come before.
 *
 * ranks: 4
 * expect: race.deadlock
 * allow: race.receive
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank, sum = 0;
    if (rank == 0) {
        for (int n = 2; n < size; n++) {
            MPI_Recv(&value, 1, MPI_INT, TWIN(MPI_ANY_SOURCE, n), 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
            sum += value;
        }
        MPI_Recv(&value, 1, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        sum += value;
        use(&sum);
    } else {
        if (rank == 1)
            pause_ms(200);
        MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
    }
}
