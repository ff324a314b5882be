/* Another thread calls, though only the main thread may.
 *
 * ranks: 2
 * expect: life.thread-level
 * bare: openmpi=ends mpich=ends
 */
#define OWN_MAIN
#include "../checked.h"
#include <pthread.h>

static void *talk(void *unused)
{
    int mine = rank, theirs;
    MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 0, &theirs, 1, MPI_INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    return unused;
}

int main(int argc, char **argv)
{
    int level;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, TWIN(MPI_THREAD_FUNNELED, MPI_THREAD_MULTIPLE), &level);
    MPI_Comm_rank(WORLD, &rank);
    pthread_create(&thread, NULL, talk, NULL);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
