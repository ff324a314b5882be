/* The ranks deadlock after a second of useful work.
 *
 * ranks: 2
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
    for (int step = 0; step < 10; step++) {
        pause_ms(TWIN(100, 1));
        MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, step, &theirs, 1, MPI_INT, 1 - rank, step, WORLD, MPI_STATUS_IGNORE);
    }
#ifndef RIGHT
    MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 10, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Send(&mine, 1, MPI_INT, 1 - rank, 10, WORLD);
#endif
}
