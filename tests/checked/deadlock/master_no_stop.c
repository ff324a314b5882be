/* Workers wait for a task; the master has sent no message to stop and waits in a barrier.
 *
 * ranks: 3
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int task = 0, result = 0;
    if (rank == 0) {
        for (int n = 0; n < 6; n++) {
            int worker = 1 + n % (size - 1);
            MPI_Send(&n, 1, MPI_INT, worker, 1, WORLD);
            MPI_Recv(&result, 1, MPI_INT, worker, 2, WORLD, MPI_STATUS_IGNORE);
        }
#ifdef RIGHT
        for (int worker = 1; worker < size; worker++) {
            task = -1;
            MPI_Send(&task, 1, MPI_INT, worker, 1, WORLD);
        }
#endif
    } else {
        for (;;) {
            MPI_Recv(&task, 1, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE); /* WRONG */
            if (task < 0)
                break;
            MPI_Send(&task, 1, MPI_INT, 0, 2, WORLD);
        }
    }
    MPI_Barrier(WORLD); /* WRONG */
}
