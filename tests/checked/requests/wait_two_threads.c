/* Two threads wait for the same request.
 *
 * ranks: 2
 * options: --stop-on-first
 * expect: request.concurrent
 * allow: deadlock.self
 * bare: openmpi=hangs mpich=aborts|crashes
 */
#define OWN_MAIN
#include "../checked.h"
#include <pthread.h>

static MPI_Request request;

static void *wait_for_it(void *unused)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    return unused;
}

int main(int argc, char **argv)
{
    int level, value = 0;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, WORLD, &request);
        pthread_create(&thread, NULL, wait_for_it, NULL);
#ifndef RIGHT
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
#endif
        pthread_join(thread, NULL);
    } else {
        work_ms(300);
        MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
    }
    MPI_Finalize();
    return 0;
}
