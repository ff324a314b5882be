/* Wildcards in one communicator, or in one for each pair.
 *
 * ranks: 3
 * expect: race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm pairs[3] = {WORLD, WORLD, WORLD};
    int value = rank;
#ifdef RIGHT
    for (int n = 1; n < size; n++)
        MPI_Comm_dup(WORLD, &pairs[n]);
#endif
    if (rank == 0)
        for (int n = 1; n < size; n++)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, pairs[n], MPI_STATUS_IGNORE); /* WRONG */
    else
        MPI_Send(&value, 1, MPI_INT, 0, 0, pairs[rank]);
#ifdef RIGHT
    for (int n = 1; n < size; n++)
        MPI_Comm_free(&pairs[n]);
#endif
}
