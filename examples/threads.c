/* threads: four threads, each one sending to itself on a communicator of its own.
 *
 *   threads [--iters N] [--threads T]          default 1000, 4
 *
 * MPI_THREAD_MULTIPLE; where the library gives less, it says so and uses one thread.
 * Shows: recording of several threads at once; nothing is shared between them, so that
 * each thread has the same number of calls (N of Isend, Recv and Wait), while the main
 * thread makes N calls of MPI_Allreduce on the world. */
#include "common.h"

#include <pthread.h>

struct worker {
    pthread_t thread;
    MPI_Comm comm;
    int index, iters, wrong;
};

static void *work(void *argument)
{
    struct worker *w = argument;
    int rank;
    MPI_Comm_rank(w->comm, &rank);
    for (int i = 0; i < w->iters; i++) {
        int out = i * 8 + w->index, in = -1;
        MPI_Request request;
        MPI_Isend(&out, 1, MPI_INT, rank, w->index, w->comm, &request);
        MPI_Recv(&in, 1, MPI_INT, rank, w->index, w->comm, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        w->wrong += in != out;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    enum { MAX_THREADS = 64 };
    static struct worker workers[MAX_THREADS];
    int provided, rank, size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int iters = opt_long(argc, argv, "--iters", 1000), count = opt_long(argc, argv, "--threads", 4);
    if (count < 1 || count > MAX_THREADS)
        count = 4;
    if (provided < MPI_THREAD_MULTIPLE) {
        if (rank == 0)
            fprintf(stderr, "threads: no MPI_THREAD_MULTIPLE here, one thread only\n");
        count = 1;
    }
    for (int t = 0; t < count; t++) {
        workers[t].index = t;
        workers[t].iters = iters;
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[t].comm);
    }
    for (int t = 0; t < count; t++)
        if (provided < MPI_THREAD_MULTIPLE)
            work(&workers[t]);
        else
            CHECK(pthread_create(&workers[t].thread, NULL, work, &workers[t]) == 0);
    for (int i = 0; i < iters; i++) {
        int one = 1, sum = 0;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CHECK(sum == size);
    }
    for (int t = 0; t < count; t++) {
        if (provided >= MPI_THREAD_MULTIPLE)
            pthread_join(workers[t].thread, NULL);
        CHECK(workers[t].wrong == 0);
        MPI_Comm_free(&workers[t].comm);
    }
    int failures;
    MPI_Allreduce(&check_failures, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("threads %d %s\n", count, failures ? "FAILED" : "OK");
    MPI_Finalize();
    return failures != 0;
}
