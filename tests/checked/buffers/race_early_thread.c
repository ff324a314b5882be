/* A thread has written what is sent before it is sent, by luck: nothing orders the two.
 *
 * ranks: 2
 * lines: first
 * flags: -fsanitize=thread
 * options: --thread-races
 * expect: buffer.race
 * bare: openmpi=ends mpich=ends
 */
#define OWN_MAIN
#include "../checked.h"
#include <pthread.h>

static int values[1000];

static void *fills(void *unused)
{
    for (int i = 0; i < 1000; i++)
        values[i] = i; /* WRONG */
    return unused;
}

int main(int argc, char **argv)
{
    int level, got[1000];
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(WORLD, &rank);
    if (rank == 0) {
        pthread_create(&thread, NULL, fills, NULL);
#ifdef RIGHT
        pthread_join(thread, NULL);
#endif
        work_ms(300);
        MPI_Send(values, 1000, MPI_INT, 1, 0, WORLD);
#ifndef RIGHT
        pthread_join(thread, NULL);
#endif
    } else {
        MPI_Recv(got, 1000, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(WORLD);
    MPI_Finalize();
    return 0;
}
