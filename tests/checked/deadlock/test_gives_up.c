/* A rank tests a receive that never comes, for ever; or only a while, and cancels it.
 *
 * ranks: 2
 * expect: deadlock.polling
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int value, done = 0, polls = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 3, WORLD, &request);
        while (!done && TWIN(1, polls < 2000)) {
            MPI_Test(&request, &done, MPI_STATUS_IGNORE); /* WRONG */
            work_ms(polls++ % 2);
        }
        if (!done) {
            MPI_Cancel(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    MPI_Barrier(WORLD);
}
