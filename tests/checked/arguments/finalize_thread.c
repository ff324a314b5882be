/* MPI_Finalize in another thread than the one that has initialised MPI.
 *
 * ranks: 2
 * expect: life.thread-level
 * bare: openmpi=ends mpich=ends
 */
#define OWN_MAIN
#include "../checked.h"
#include <pthread.h>

static void *end(void *unused)
{
    MPI_Finalize(); /* WRONG */
    return unused;
}

static void *barrier(void *unused)
{
    MPI_Barrier(WORLD);
    return unused;
}

int main(int argc, char **argv)
{
    int level;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    pthread_create(&thread, NULL, barrier, NULL);
    pthread_join(thread, NULL);
#ifdef RIGHT
    MPI_Finalize();
    (void)end;
#else
    pthread_create(&thread, NULL, end, NULL);
    pthread_join(thread, NULL);
#endif
    return 0;
}
