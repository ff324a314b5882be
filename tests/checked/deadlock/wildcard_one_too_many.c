/* A master receives one result more than the workers send; they wait for its next task.
 *
 * ranks: 3
 * expect: deadlock.cycle
 * allow-both: race.receive
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int task = 5, result = 0;
    if (rank == 0) {
        for (int worker = 1; worker < size; worker++)
            MPI_Send(&task, 1, MPI_INT, worker, 1, WORLD);
        for (int n = 0; n < TWIN(3, 2); n++)
            MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, 2, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        for (int worker = 1; worker < size; worker++)
            MPI_Send(&task, 1, MPI_INT, worker, 1, WORLD);
    } else {
        MPI_Recv(&task, 1, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&task, 1, MPI_INT, 0, 2, WORLD);
        MPI_Recv(&task, 1, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    }
}
