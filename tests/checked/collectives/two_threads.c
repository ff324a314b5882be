/* Two threads are in collective operations of one communicator at the same time.
 *
 * ranks: 2
 * expect: collective.concurrent
 * allow: collective.call collective.count collective.datatype deadlock.collective
 * bare: openmpi=ends mpich=ends
 */
#define OWN_MAIN
#include "../checked.h"
#include <pthread.h>

static MPI_Comm comms[2];

static void *sums(void *which)
{
    int one = 1, sum;
    MPI_Comm mine = comms[*(int *)which];
    /* Both are in their first one until the other rank comes. */
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, mine); /* WRONG */
    return NULL;
}

int main(int argc, char **argv)
{
    int level, numbers[2] = {0, 1};
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_dup(WORLD, &comms[0]);
    MPI_Comm_dup(WORLD, &comms[1]);
    if (rank == 1)
        work_ms(300);
    numbers[1] = TWIN(0, 1);
    pthread_create(&thread, NULL, sums, &numbers[1]);
    sums(&numbers[0]);
    pthread_join(thread, NULL);
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
    MPI_Finalize();
    return 0;
}
