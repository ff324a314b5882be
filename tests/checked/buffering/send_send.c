/* Two standard sends face each other; the messages are small enough to be kept.
 *
 * ranks: 2
 * expect: deadlock.buffering
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
#ifdef RIGHT
    MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 0, &theirs, 1, MPI_INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE);
#else
    MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, WORLD); /* WRONG */
    MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE);
#endif
}
