/* A thread reads what was received when the receive is long complete, by luck: nothing orders the two.
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

static double halo[1000];
static int is_there;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *sums(void *sum)
{
    work_ms(300);
#ifdef RIGHT
    for (int there = 0; !there; work_ms(1)) {
        pthread_mutex_lock(&lock);
        there = is_there;
        pthread_mutex_unlock(&lock);
    }
#endif
    for (int i = 0; i < 1000; i++)
        *(double *)sum += halo[i]; /* WRONG */
    return NULL;
}

int main(int argc, char **argv)
{
    int level;
    double sum = 0;
    pthread_t thread;
    MPI_Request request;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(WORLD, &rank);
    pthread_create(&thread, NULL, sums, &sum);
    MPI_Irecv(halo, 1000, MPI_DOUBLE, 1 - rank, 0, WORLD, &request);
    double mine[1000] = {rank};
    MPI_Send(mine, 1000, MPI_DOUBLE, 1 - rank, 0, WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    pthread_mutex_lock(&lock);
    is_there = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    MPI_Barrier(WORLD);
    MPI_Finalize();
    return sum != 1 - rank;
}
