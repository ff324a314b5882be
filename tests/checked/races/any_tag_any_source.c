/* Two messages of one rank come in their order whatever their tags; of two ranks they do not.
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
        for (int n = 0; n < 2; n++)
            MPI_Recv(&value, 1, MPI_INT, TWIN(MPI_ANY_SOURCE, 1), MPI_ANY_TAG, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    } else if (TWIN(1, rank == 1)) {
        MPI_Send(&value, 1, MPI_INT, 0, rank, WORLD);
#ifdef RIGHT
        MPI_Send(&value, 1, MPI_INT, 0, 9, WORLD);
#endif
    }
}
