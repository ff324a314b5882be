/* A thread waits for a request that another one has completed, and never wakes up.
 *
 * ranks: 2
 * expect: deadlock.self
 * allow: request.concurrent
 * mpi: openmpi
 * bare: openmpi=hangs
 * limit_s: 40
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
    pthread_t first, second;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(WORLD, &rank);
    stamp();
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, WORLD, &request);
        pthread_create(&first, NULL, wait_for_it, NULL);
#ifndef RIGHT
        pthread_create(&second, NULL, wait_for_it, NULL);
        pthread_join(second, NULL);
#endif
        pthread_join(first, NULL);
        (void)second;
    } else {
        work_ms(300);
        MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
    }
    MPI_Finalize();
    return 0;
}
