/* Two ranks wait for each other while the other two compute for seconds.
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
        MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, WORLD);
#endif
    } else {
        work_ms(TWIN(4000, 100));
    }
    MPI_Barrier(WORLD);
}
