/* Both ranks receive first; threads of a pool, begun after MPI_Init, sleep until there is work for them.
 *
 * ranks: 2
 * expect: deadlock.cycle
 * bare: openmpi=hangs mpich=hangs
 */
#define OWN_MAIN
#include "../checked.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begins = PTHREAD_COND_INITIALIZER;
static int is_over;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!is_over)
        pthread_cond_wait(&begins, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(int argc, char **argv)
{
    int level, mine, theirs = 0;
    pthread_t pool[3];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(WORLD, &rank);
    for (int i = 0; i < 3; i++)
        pthread_create(&pool[i], NULL, work, NULL);
    mine = rank;
    stamp();
    if (TWIN(1, rank == 1)) {
        MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 1, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Send(&mine, 1, MPI_INT, 1 - rank, 1, WORLD);
    } else {
        MPI_Send(&mine, 1, MPI_INT, 1 - rank, 1, WORLD);
        MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 1, WORLD, MPI_STATUS_IGNORE);
    }
    use(&theirs);
    pthread_mutex_lock(&lock);
    is_over = 1;
    pthread_cond_broadcast(&begins);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 3; i++)
        pthread_join(pool[i], NULL);
    MPI_Finalize();
    return 0;
}
