/* Wildcards of the source with one tag for all, or one for each.
 *
 * ranks: 3
 * expect: race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 0) {
        for (int n = 1; n < size; n++)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TWIN(7, n), WORLD, MPI_STATUS_IGNORE); /* WRONG */
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, TWIN(7, rank), WORLD);
    }
}
