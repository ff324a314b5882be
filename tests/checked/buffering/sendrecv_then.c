/* Two pairs exchange by send and receive in the same order on both sides.
 *
 * ranks: 4
 * expect: deadlock.buffering
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine[4] = {rank}, theirs[4], partner = rank ^ 1;
#ifdef RIGHT
    if (rank % 2) {
        MPI_Recv(theirs, 4, MPI_INT, partner, 0, WORLD, MPI_STATUS_IGNORE);
        MPI_Send(mine, 4, MPI_INT, partner, 0, WORLD);
        return;
    }
#endif
    MPI_Send(mine, 4, MPI_INT, partner, 0, WORLD); /* WRONG */
    MPI_Recv(theirs, 4, MPI_INT, partner, 0, WORLD, MPI_STATUS_IGNORE);
}
