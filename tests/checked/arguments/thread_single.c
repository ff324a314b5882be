/* Threads call without having asked for any thread level.
 *
 * ranks: 2
 * expect: life.thread-level
 * allow: life.thread-single
 * bare: openmpi=ends mpich=ends
 */
#define OWN_MAIN
#include "../checked.h"
#include <pthread.h>

static void *talk(void *unused)
{
    MPI_Barrier(WORLD); /* WRONG */
    return unused;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
#ifdef RIGHT
    talk(NULL);
#else
    pthread_t thread;
    pthread_create(&thread, NULL, talk, NULL);
    pthread_join(thread, NULL);
#endif
    MPI_Finalize();
    return 0;
}
