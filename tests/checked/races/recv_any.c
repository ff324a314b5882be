/* Results of two ranks are taken in the order they come, and the order is used.
 *
 * ranks: 3
 * expect: race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = 10 * rank, values[2];
    if (rank == 0) {
        for (int n = 0; n < 2; n++)
            MPI_Recv(&values[n], 1, MPI_INT, TWIN(MPI_ANY_SOURCE, n + 1), 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        if (values[0] > values[1])
            fprintf(stderr, "rank 2 came first\n");
    } else {
        MPI_Send(&mine, 1, MPI_INT, 0, 0, WORLD);
    }
}
