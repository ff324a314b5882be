/* A thread of each rank waits for a message that only the other rank's threads would send later.
 *
 * ranks: 2
 * expect: deadlock.cycle
 * bare: openmpi=hangs mpich=hangs
 */
#define OWN_MAIN
#include "../checked.h"
#include <pthread.h>

static void *talk(void *unused)
{
    int value = rank;
#ifdef RIGHT
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 1, WORLD);
#endif
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 1, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    if (TWIN(1, rank == 1))
        MPI_Send(&value, 1, MPI_INT, 1 - rank, 1, WORLD);
    return unused;
}

int main(int argc, char **argv)
{
    int level;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(WORLD, &rank);
    stamp();
    pthread_create(&thread, NULL, talk, NULL);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
