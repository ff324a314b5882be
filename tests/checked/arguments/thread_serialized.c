/* Two threads are in MPI at once under MPI_THREAD_SERIALIZED.
 *
 * ranks: 2
 * expect: life.thread-level
 * bare: openmpi=ends mpich=ends
 */
#define OWN_MAIN
#include "../checked.h"
#include <pthread.h>

static void *wait_for_it(void *unused)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 1, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    return unused;
}

int main(int argc, char **argv)
{
    int level, value = 0;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, TWIN(MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE), &level);
    MPI_Comm_rank(WORLD, &rank);
    pthread_create(&thread, NULL, wait_for_it, NULL);
    work_ms(200);
    MPI_Send(&value, 1, MPI_INT, 1 - rank, 1, WORLD); /* WRONG */
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
