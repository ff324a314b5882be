/* A rank tests a receive that never comes and sleeps in between, for ever; or counts its tests and gives up.
 *
 * ranks: 2
 * expect: deadlock.polling
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int value, done = 0, tests = 0;
    MPI_Request request;
    (void)tests;
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 3, WORLD, &request);
        while (!done && TWIN(1, tests++ < 400)) {
            MPI_Test(&request, &done, MPI_STATUS_IGNORE); /* WRONG */
            usleep(5000);
        }
        if (!done) {
            MPI_Cancel(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    MPI_Barrier(WORLD); /* WRONG */
}
