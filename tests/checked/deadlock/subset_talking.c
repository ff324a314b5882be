/* Two ranks wait for each other while the other two keep exchanging messages.
 *
 * ranks: 4
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
    if (rank < 2) {
#ifdef RIGHT
        MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 0, &theirs, 1, MPI_INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE);
#else
        MPI_Ssend(&mine, 1, MPI_INT, 1 - rank, 0, WORLD); /* WRONG */
        MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE);
#endif
    } else {
        for (int step = 0; step < TWIN(4000, 100); step++) {
            MPI_Sendrecv(&mine, 1, MPI_INT, 5 - rank, 1, &theirs, 1, MPI_INT, 5 - rank, 1, WORLD, MPI_STATUS_IGNORE);
            work_ms(1);
        }
    }
    MPI_Barrier(WORLD);
}
