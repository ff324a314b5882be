/* A thread reads what another one has begun to receive.
 *
 * ranks: 2
 * lines: first
 * flags: -fsanitize=thread
 * expect: buffer.receive-read
 * bare: openmpi=ends mpich=ends
 */
#define OWN_MAIN
#include "../checked.h"
#include <pthread.h>

static int values[256];
static long sums[4];

static void *read_all(void *which)
{
    long sum = 0;
    for (int i = 0; i < 256; i++)
        sum += values[i]; /* WRONG */
    sums[(long)which] = sum;
    use(sums);
    return NULL;
}

static void read_by_threads(void)
{
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, read_all, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    MPI_Request request;
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(WORLD, &rank);
    if (rank == 1) {
        MPI_Irecv(values, 256, MPI_INT, 0, 0, WORLD, &request);
#ifndef RIGHT
        read_by_threads();
#endif
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        read_by_threads();
    } else {
        MPI_Barrier(WORLD);
        MPI_Send(values, 256, MPI_INT, 1, 0, WORLD);
    }
    MPI_Finalize();
    return 0;
}
