/* A reduction orders two messages; a broadcast from the receiver's side does not always.
 *
 * ranks: 3
 * expect: race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    /* Rank 2 sends after an operation that rank 0 has entered after its receive; or after one that needs rank 1 alone. */
    int value = rank, sum;
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
#ifdef RIGHT
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD);
#else
    sum = rank;
    MPI_Bcast(&sum, 1, MPI_INT, 1, WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
#endif
    if (rank == 2)
        MPI_Send(&sum, 1, MPI_INT, 0, 0, WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
}
