/* Cost of one MPI call in thread CPU time.
 *
 *   percall [--deep] CASE [CALLS [UNTIMED]]     CASE: comm_rank sendrecv isend iprobe allreduce
 *
 * sendrecv and isend talk to the rank itself, allreduce wants 2 ranks. `isend` is Irecv + Isend +
 * Waitall, and the result is divided by three. --deep makes every call through a chain of
 * four functions, for `--stack 4`.
 *
 * After 1,000 calls, which make the MPI set up what it sets up lazily, CALLS calls (default
 * 2,000,000) are timed in 200 batches: `first`, when the ring sees its pages for the first time.
 * Then come UNTIMED calls (default 2 CALLS: with 3 bytes a call, 16 MiB have gone round once), and
 * CALLS/2 that are timed in 200 batches: `steady`. Rank 0 prints, in ns a call,
 *
 *   CASE first_median first_mean steady_median steady_mean steady_low
 *
 * where a median is over the batches, and the low value is that of the tenth part of them that were
 * fastest: with two ranks, those in which neither had to wait for a core. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 200, LAZY = 1000, STEP = 3 };

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static int rank, out[4], in[4], flag;

/* One step of each case: STEP calls from STEP sites, so that no case has the loop for itself. */
static inline void comm_rank(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}
static inline void exchange(void)
{
    MPI_Sendrecv(out, 1, MPI_INT, rank, 1, in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static inline void sendrecv(void) { exchange(), exchange(), exchange(); }
static inline void isend(void)
{
    MPI_Request r[2];
    MPI_Irecv(in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(out, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}
static inline void probe(void) { MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); }
static inline void iprobe(void) { probe(), probe(), probe(); }
static inline void reduce(void) { MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
static inline void allreduce(void) { reduce(), reduce(), reduce(); }

/* The empty asm after each call keeps it from becoming a jump, which would drop the frame. */
#define AFTER __asm__ volatile("")
#define CASE(name)                                                                    \
    __attribute__((noinline)) static void name##_4(void) { name(); AFTER; }           \
    __attribute__((noinline)) static void name##_3(void) { name##_4(); AFTER; }       \
    __attribute__((noinline)) static void name##_2(void) { name##_3(); AFTER; }       \
    __attribute__((noinline)) static void name##_1(void) { name##_2(); AFTER; }       \
    __attribute__((noinline)) static void name##_deep(long n)                         \
    {                                                                                 \
        for (long i = 0; i < n; i += STEP)                                            \
            name##_1();                                                               \
    }                                                                                 \
    __attribute__((noinline)) static void name##_flat(long n)                         \
    {                                                                                 \
        for (long i = 0; i < n; i += STEP)                                            \
            name();                                                                   \
    }
CASE(comm_rank)
CASE(sendrecv)
CASE(isend)
CASE(iprobe)
CASE(allreduce)

static const struct { const char *name; void (*flat)(long), (*deep)(long); } cases[] = {
    {"comm_rank", comm_rank_flat, comm_rank_deep}, {"sendrecv", sendrecv_flat, sendrecv_deep},
    {"isend", isend_flat, isend_deep},             {"iprobe", iprobe_flat, iprobe_deep},
    {"allreduce", allreduce_flat, allreduce_deep},
};

static int by_value(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

struct result { double median, mean, low; };

/* Not inlined: callgrind counts in here only (--toggle-collect). */
__attribute__((noinline, noclone)) static struct result timed(void (*run)(long), long calls)
{
    static double batch[BATCHES];
    long n = (calls / BATCHES + STEP - 1) / STEP * STEP;
    double sum = 0;
    for (int b = 0; b < BATCHES; b++) {
        double t = cpu_ns();
        run(n);
        batch[b] = (cpu_ns() - t) / n;
        sum += batch[b];
    }
    qsort(batch, BATCHES, sizeof *batch, by_value);
    return (struct result){(batch[BATCHES / 2 - 1] + batch[BATCHES / 2]) / 2, sum / BATCHES, batch[BATCHES / 10]};
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int deep = argc > 1 && strcmp(argv[1], "--deep") == 0, status = 2;
    const char *name = argc > 1 + deep ? argv[1 + deep] : "";
    long calls = argc > 2 + deep ? atol(argv[2 + deep]) : 2000000;
    long untimed = argc > 3 + deep ? atol(argv[3 + deep]) : 2 * calls;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        if (strcmp(name, cases[c].name))
            continue;
        void (*run)(long) = deep ? cases[c].deep : cases[c].flat;
        run(LAZY);
        struct result first = timed(run, calls);
        run(untimed);
        struct result steady = timed(run, calls / 2);
        if (rank == 0)
            printf("%s %.2f %.2f %.2f %.2f %.2f\n", name, first.median, first.mean, steady.median, steady.mean, steady.low);
        status = 0;
    }
    if (status && rank == 0)
        fprintf(stderr, "usage: percall [--deep] comm_rank|sendrecv|isend|iprobe|allreduce [CALLS [UNTIMED]]\n");
    MPI_Finalize();
    return status;
}
