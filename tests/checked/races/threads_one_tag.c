/* Two threads send their streams to one receiver with one tag, which takes every second message for one thread's.
 *
 * ranks: 2
 * expect: race.threads
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#define OWN_MAIN
#include "../checked.h"
#include <pthread.h>

enum { STEPS = 20 };

static void *stream(void *which)
{
    int tag = TWIN(0, *(int *)which);
    double value = *(int *)which;
    for (int step = 0; step < STEPS; step++) {
        MPI_Send(&value, 1, MPI_DOUBLE, 1, tag, WORLD); /* WRONG */
        work_ms(5);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int level, which[2] = {0, 1};
    pthread_t threads[2];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            pthread_create(&threads[i], NULL, stream, &which[i]);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
    } else {
        double left = 0, right = 0, sums[2] = {0};
        for (int step = 0; step < STEPS; step++) {
            MPI_Recv(&left, 1, MPI_DOUBLE, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
            MPI_Recv(&right, 1, MPI_DOUBLE, 0, TWIN(0, 1), WORLD, MPI_STATUS_IGNORE); /* WRONG */
            sums[0] += left;
            sums[1] += right;
        }
        use(sums);
    }
    MPI_Finalize();
    return 0;
}
