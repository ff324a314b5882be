/* The messages of two phases have one tag, and nothing keeps a fast rank's second from being taken for a first.
 *
 * ranks: 3
 * expect: race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    for (int phase = 0; phase < 2; phase++) {
        if (rank == 0)
            for (int n = 1; n < size; n++)
                MPI_Recv(&value, 1, MPI_INT, TWIN(MPI_ANY_SOURCE, n), 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        else
            MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
    }
}
