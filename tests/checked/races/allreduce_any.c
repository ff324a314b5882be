/* A reduction between two messages orders them, a broadcast from another rank does not.
 *
 * ranks: 3
 * expect: race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    /* Rank 2 sends after an operation in which rank 0 has to be, after its receive; or in which it need not be. */
    int value = rank, sum = rank;
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
#ifdef RIGHT
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD);
#else
    MPI_Bcast(&sum, 1, MPI_INT, 1, WORLD);
#endif
    if (rank == 2)
        MPI_Send(&sum, 1, MPI_INT, 0, 0, WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
}
