/* Two messages for one wildcard; a barrier after the receive keeps the second away.
 *
 * ranks: 3
 * expect: race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
#ifdef RIGHT
    MPI_Barrier(WORLD);
#endif
    if (rank == 2)
        MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
}
