/* Cost of one MPI call in thread CPU time.
 *
 *   percall CASE [CALLS]     CASE: comm_rank sendrecv isend iprobe allreduce
 *
 * sendrecv and isend talk to the rank itself; allreduce needs 2 ranks. After a warm-up of one tenth
 * the calls are timed in 200 batches; printed: median and mean batch in ns a call (thread CPU time),
 * one line `CASE median mean` from rank 0. `isend` is Irecv + Isend + Waitall, divided by three. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 200 };

static double cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static int rank, out[4], in[4], flag;

__attribute__((noinline)) static void comm_rank(long n) {
    for (long i = 0; i < n; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}
__attribute__((noinline)) static void sendrecv(long n) {
    for (long i = 0; i < n; i++)
        MPI_Sendrecv(out, 1, MPI_INT, rank, 1, in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
__attribute__((noinline)) static void isend(long n) {
    MPI_Request r[2];
    for (long i = 0; i < n; i += 3) {
        MPI_Irecv(in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(out, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
}
__attribute__((noinline)) static void iprobe(long n) {
    for (long i = 0; i < n; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}
__attribute__((noinline)) static void allreduce(long n) {
    for (long i = 0; i < n; i++)
        MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static int by_value(const void *a, const void *b) {
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

int main(int argc, char **argv) {
    static const struct { const char *name; void (*run)(long); } cases[] = {
        {"comm_rank", comm_rank}, {"sendrecv", sendrecv}, {"isend", isend}, {"iprobe", iprobe}, {"allreduce", allreduce},
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    long calls = argc > 2 ? atol(argv[2]) : 2000000;
    for (size_t c = 0; argc > 1 && c < sizeof cases / sizeof *cases; c++) {
        if (strcmp(argv[1], cases[c].name))
            continue;
        static double batch[BATCHES];
        long n = calls / BATCHES / 3 * 3;
        cases[c].run(calls / 10);
        double sum = 0;
        for (int b = 0; b < BATCHES; b++) {
            double t = cpu_ns();
            cases[c].run(n);
            batch[b] = (cpu_ns() - t) / n;
            sum += batch[b];
        }
        qsort(batch, BATCHES, sizeof *batch, by_value);
        if (rank == 0)
            printf("%s %.2f %.2f\n", argv[1], batch[BATCHES / 2], sum / BATCHES);
        MPI_Finalize();
        return 0;
    }
    if (rank == 0)
        fprintf(stderr, "usage: percall comm_rank|sendrecv|isend|iprobe|allreduce [CALLS]\n");
    MPI_Finalize();
    return 2;
}
