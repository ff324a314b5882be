/* Synchronous sends race as well.
 *
 * ranks: 3
 * expect: race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 0)
        for (int n = 1; n < size; n++)
            MPI_Recv(&value, 1, MPI_INT, TWIN(MPI_ANY_SOURCE, n), 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    else
        MPI_Ssend(&value, 1, MPI_INT, 0, 0, WORLD);
}
