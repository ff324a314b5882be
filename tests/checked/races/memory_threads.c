/* Two threads add to one sum without a lock; the first thread then reduces it.
 *
 * ranks: 2
 * lines: first
 * flags: -fsanitize=thread
 * options: --thread-races
 * expect: race.memory
 * bare: openmpi=ends mpich=ends
 */
#define OWN_MAIN
#include "../checked.h"
#include <pthread.h>

static long sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *adds(void *part)
{
#ifdef RIGHT
    pthread_mutex_lock(&lock);
    sum += *(long *)part;
    pthread_mutex_unlock(&lock);
#else
    sum += *(long *)part; /* WRONG */
#endif
    use(&lock);
    return NULL;
}

int main(int argc, char **argv)
{
    int level;
    long parts[2] = {1, 2};
    pthread_t threads[2];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(WORLD, &rank);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, adds, &parts[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, WORLD);
    MPI_Finalize();
    return 0;
}
