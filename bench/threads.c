/* Cost of one call of each of several threads at once, and of an annotation.
 *
 *   threads CASE THREADS [CALLS]     CASE: comm_rank isend annotate; CALLS by each thread, default 1,000,000
 *
 * Thread CPU time, 100 batches a thread after a first lap that is not counted; the median over all batches of all
 * threads, ns a call. `isend` is Irecv + Isend + Waitall to the thread's own tag, divided by three; `annotate` is
 * mpiscope_begin + mpiscope_end, divided by two. Rank 0 prints: CASE THREADS median mean */
#define _GNU_SOURCE
#include <mpi.h>
#include <mpiscope.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 100, MOST = 64 };

static const char *what;
static long calls = 1000000;
static double batches[MOST][BATCHES];
static pthread_barrier_t together;

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static int batch(long n, int tag)
{
    int rank = 0, out[4] = {0}, in[4];
    MPI_Request r[2];
    if (!strcmp(what, "comm_rank")) {
        for (long i = 0; i < n; i++) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        return 1;
    }
    if (!strcmp(what, "annotate")) {
        for (long i = 0; i < n / 2; i++) mpiscope_begin("region"), mpiscope_end("region");
        return 1;
    }
    for (long i = 0; i < n / 3; i++) {
        MPI_Irecv(in, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &r[0]);
        MPI_Isend(out, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    return 1;
}

static void *thread(void *number)
{
    int t = (int)(size_t)number;
    batch(calls / BATCHES * 10, t);
    pthread_barrier_wait(&together);
    for (int b = 0; b < BATCHES; b++) {
        double start = cpu_ns();
        batch(calls / BATCHES, t);
        batches[t][b] = (cpu_ns() - start) / (calls / BATCHES);
    }
    return NULL;
}

static int less(const void *a, const void *b) { return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b); }

int main(int argc, char **argv)
{
    int level, threads = argc > 2 ? atoi(argv[2]) : 1;
    what = argv[1];
    if (argc > 3) calls = atol(argv[3]);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (threads < 1 || threads > MOST || (level < MPI_THREAD_MULTIPLE && threads > 1)) {
        fprintf(stderr, "threads: %d threads with MPI_THREAD level %d\n", threads, level);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    pthread_t id[MOST];
    pthread_barrier_init(&together, NULL, threads);
    for (int t = 0; t < threads; t++) pthread_create(&id[t], NULL, thread, (void *)(size_t)t);
    for (int t = 0; t < threads; t++) pthread_join(id[t], NULL);
    double *all = malloc(sizeof(double) * threads * BATCHES), sum = 0;
    for (int t = 0; t < threads; t++) memcpy(all + t * BATCHES, batches[t], sizeof batches[t]);
    for (int i = 0; i < threads * BATCHES; i++) sum += all[i];
    qsort(all, threads * BATCHES, sizeof *all, less);
    printf("%s %d %.2f %.2f\n", what, threads, all[threads * BATCHES / 2], sum / (threads * BATCHES));
    MPI_Finalize();
    return 0;
}
