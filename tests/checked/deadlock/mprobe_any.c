/* A matched probe of any source, when nobody sends.
 *
 * ranks: 3
 * expect: deadlock.cycle
 * allow-both: race.probe race.receive
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
    MPI_Message message;
    if (rank == 0) {
        for (int n = 1; n < 3; n++) {
            MPI_Mprobe(MPI_ANY_SOURCE, 0, WORLD, &message, MPI_STATUS_IGNORE); /* WRONG */
            MPI_Mrecv(&theirs, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        }
        MPI_Bcast(&mine, 1, MPI_INT, 0, WORLD);
    } else {
#ifdef RIGHT
        MPI_Send(&mine, 1, MPI_INT, 0, 0, WORLD);
#endif
        MPI_Bcast(&mine, 1, MPI_INT, 0, WORLD); /* WRONG */
#ifndef RIGHT
        MPI_Send(&mine, 1, MPI_INT, 0, 0, WORLD);
#endif
    }
}
