/* Programs whose best settings are known, for `make tuned`: tuned NAME STEPS. cases.py has the settings that harm them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../include/mpiscope.h"

static int rank, ranks;

static double compute(double seconds)
{
    double begin = MPI_Wtime(), sum = 0;
    while (MPI_Wtime() - begin < seconds)
        for (int i = 0; i < 1000; i++)
            sum += i * 1e-9;
    return sum;
}

/* Each rank sends before the other one receives: below the eager limit, both compute at the same time. */
static void late_receiver(int steps)
{
    enum { BYTES = 12000 };
    static char out[BYTES], in[BYTES];
    int other = rank ^ 1;
    for (int i = 0; i < steps; i++) {
        if (rank % 2 == 0) {
            MPI_Send(out, BYTES, MPI_CHAR, other, 0, MPI_COMM_WORLD);
            usleep(5000);
            MPI_Recv(in, BYTES, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            usleep(5000);
            MPI_Recv(in, BYTES, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out, BYTES, MPI_CHAR, other, 0, MPI_COMM_WORLD);
        }
    }
}

/* Neighbours exchange small messages in both directions. */
static void small_messages(int steps)
{
    enum { BYTES = 2000, MESSAGES = 32 };
    static char out[MESSAGES][BYTES], in[MESSAGES][BYTES];
    MPI_Request requests[2 * MESSAGES];
    int other = rank ^ 1;
    for (int i = 0; i < steps; i++) {
        for (int m = 0; m < MESSAGES; m++)
            MPI_Irecv(in[m], BYTES, MPI_CHAR, other, m, MPI_COMM_WORLD, &requests[m]);
        for (int m = 0; m < MESSAGES; m++)
            MPI_Isend(out[m], BYTES, MPI_CHAR, other, m, MPI_COMM_WORLD, &requests[MESSAGES + m]);
        MPI_Waitall(2 * MESSAGES, requests, MPI_STATUSES_IGNORE);
    }
}

static void ping_pong(int steps)
{
    static char buffer[64];
    int other = rank ^ 1;
    for (int i = 0; i < steps; i++) {
        if (rank % 2 == 0) {
            MPI_Send(buffer, 64, MPI_CHAR, other, 0, MPI_COMM_WORLD);
            MPI_Recv(buffer, 64, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(buffer, 64, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buffer, 64, MPI_CHAR, other, 0, MPI_COMM_WORLD);
        }
    }
}

static void broadcast(int steps)
{
    enum { BYTES = 1 << 20 };
    char *buffer = calloc(1, BYTES);
    for (int i = 0; i < steps; i++)
        MPI_Bcast(buffer, BYTES, MPI_CHAR, 0, MPI_COMM_WORLD);
    free(buffer);
}

static void sum_of_all(int steps)
{
    enum { COUNT = 1 << 18 };
    double *in = calloc(COUNT, sizeof *in), *out = calloc(COUNT, sizeof *out);
    for (int i = 0; i < steps; i++)
        MPI_Allreduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    free(in);
    free(out);
}

/* Computing, with a short sum after each step. */
static void computing(int steps)
{
    double sum = 0, all;
    for (int i = 0; i < steps; i++) {
        for (int k = 0; k < 4000000; k++)
            sum += (k ^ i) * 1e-9;
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (all < 0)
        puts("never");
}

/* Large messages in both directions, while both compute. */
static void large_messages(int steps)
{
    enum { BYTES = 1 << 20 };
    char *in = calloc(1, BYTES), *out = calloc(1, BYTES);
    MPI_Request requests[2];
    int other = rank ^ 1;
    for (int i = 0; i < steps; i++) {
        MPI_Irecv(in, BYTES, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, BYTES, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    free(in);
    free(out);
}

/* Work arrays are allocated in each step. */
static void allocating(int steps)
{
    enum { BYTES = 8 << 20 };
    double sum = 0, all;
    for (int i = 0; i < steps; i++) {
        char *work = malloc(BYTES);
        for (int k = 0; k < BYTES; k += 4096)
            work[k] = (char)i;
        sum += work[i % BYTES];
        free(work);
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* Waits for no other rank: no setting helps. */
static void sleeping(int steps)
{
    for (int i = 0; i < steps; i++) {
        usleep(5000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void imbalance(int steps)
{
    for (int i = 0; i < steps; i++) {
        compute(rank == 0 ? 0.004 : 0.001);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Ends with an error under a setting, hangs under another, writes something else under a third. */
static void moody(int steps)
{
    const char *mood = getenv("TUNED_MOOD");
    const char *is_set = mood ? getenv(mood) : NULL;
    const char *how = getenv("TUNED_HOW");
    if (is_set && how && !strcmp(how, "fail"))
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (is_set && how && !strcmp(how, "hang"))
        for (;;)
            pause();
    for (int i = 0; i < steps; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %s\n", rank, is_set && how && !strcmp(how, "output") ? "wrong" : "right");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(int steps);
    } programs[] = {
        {"late_receiver", late_receiver}, {"small_messages", small_messages}, {"ping_pong", ping_pong},
        {"broadcast", broadcast},         {"sum_of_all", sum_of_all},         {"computing", computing},
        {"large_messages", large_messages}, {"allocating", allocating},     {"sleeping", sleeping},
        {"imbalance", imbalance},         {"moody", moody},
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int steps = argc > 2 ? atoi(argv[2]) : 10;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (argc > 1 && !strcmp(programs[i].name, argv[1]))
            mpiscope_begin("steps"), programs[i].run(steps), mpiscope_end("steps");
    MPI_Finalize();
    return 0;
}
