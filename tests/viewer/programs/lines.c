/* Messages and collective operations of several threads, and one-sided accesses.
 *
 * Each rank has three threads. Thread t sends ROUNDS messages to thread t of the next rank with tag t, and takes as many from the one
 * before; thread 2 also takes part in barriers on a communicator of its own. Then, in the first thread alone: a Put, a Get, an
 * Accumulate and a Fetch_and_op to the next rank between fences, twice. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 5, WORDS = 512 };

static MPI_Comm own[THREADS];
static int rank, size;

static void *work(void *argument)
{
    int t = *(int *)argument;
    int out[WORDS] = {t}, in[WORDS];
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Request request;
        usleep(400 * (t + 1));
        MPI_Isend(out, WORDS >> t, MPI_INT, (rank + 1) % size, t, own[t], &request);
        MPI_Recv(in, WORDS >> t, MPI_INT, (rank + size - 1) % size, t, own[t], MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (t == THREADS - 1)
            MPI_Barrier(own[t]);
    }
    return NULL;
}

static void accesses(void)
{
    int *base, put[WORDS] = {1}, got[WORDS], one = 1, before;
    int next = (rank + 1) % size;
    MPI_Win win;
    MPI_Win_allocate(2 * WORDS * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    for (int i = 0; i < 2; i++) {
        MPI_Win_fence(0, win);
        MPI_Put(put, WORDS, MPI_INT, next, 0, WORDS, MPI_INT, win);
        usleep(200);
        MPI_Win_fence(0, win);
        MPI_Get(got, WORDS / 2, MPI_INT, next, 0, WORDS / 2, MPI_INT, win);
        usleep(200);
        MPI_Win_fence(0, win);
        MPI_Accumulate(put, 4, MPI_INT, next, WORDS, 4, MPI_INT, MPI_SUM, win);
        usleep(200);
        MPI_Win_fence(0, win);
        MPI_Fetch_and_op(&one, &before, MPI_INT, next, WORDS, MPI_SUM, win);
        usleep(200);
        MPI_Win_fence(0, win);
    }
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    int provided, index[THREADS];
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        return 77;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int t = 0; t < THREADS; t++)
        MPI_Comm_dup(MPI_COMM_WORLD, &own[t]);
    for (int t = 0; t < THREADS; t++) {
        index[t] = t;
        if (t > 0)
            pthread_create(&threads[t], NULL, work, &index[t]);
    }
    work(&index[0]);
    for (int t = 1; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    accesses();
    MPI_Finalize();
    return 0;
}
