/* Another thread changes two send buffers before the wait, a large one and a small one.
 *
 * ranks: 2
 * allow-both: life.thread-single
 * expect: buffer.send-written
 * lines: first
 * options: --guard
 * bare: openmpi=ends mpich=ends
 */
#include <pthread.h>
#include "../checked.h"

enum { COUNT = 20000 };

struct both {
    double *large, *small;
};

static pthread_barrier_t begun;

static void *work(void *argument)
{
    struct both *both = argument;
    pthread_barrier_wait(&begun);
    both->large[COUNT / 2] = 2; /* WRONG */
    *both->small = 3; /* WRONG */
    return NULL;
}

static void program(void)
{
    pthread_t thread;
    MPI_Request requests[2];
    double *large = calloc(COUNT, sizeof *large), small = 1;
    struct both both = {large, &small};
    pthread_barrier_init(&begun, NULL, 2);
    if (rank == 0) {
        pthread_create(&thread, NULL, work, &both);
        MPI_Issend(large, COUNT, MPI_DOUBLE, 1, 0, WORLD, &requests[0]);
        MPI_Issend(&small, 1, MPI_DOUBLE, 1, 1, WORLD, &requests[1]);
#ifdef RIGHT
        MPI_Barrier(WORLD);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        pthread_barrier_wait(&begun);
        pthread_join(thread, NULL);
#else
        pthread_barrier_wait(&begun);
        pthread_join(thread, NULL);
        MPI_Barrier(WORLD);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#endif
    } else {
        MPI_Barrier(WORLD);
        MPI_Recv(large, COUNT, MPI_DOUBLE, 0, 0, WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&small, 1, MPI_DOUBLE, 0, 1, WORLD, MPI_STATUS_IGNORE);
    }
    free(large);
}
