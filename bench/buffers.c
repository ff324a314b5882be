/* Cost of buffers in flight: what a non-blocking send or receive of so many bytes takes.
 *
 *   buffers CASE BYTES [CALLS]     CASE: send receive column; default 20,000 calls, at most 4 GiB in all
 *
 * Messages to the process itself: `send` is Isend + Recv + Wait, `receive` is Irecv + Send + Wait, `column` is `receive` of every
 * second double. Thread CPU time, 20 batches after one that is not counted; prints: CASE BYTES median-ns-a-message */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 20 };

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc < 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const char *what = argv[1];
    long bytes = atol(argv[2]), calls = argc > 3 ? atol(argv[3]) : 20000;
    if (bytes > 0 && calls > (4L << 30) / bytes)
        calls = (4L << 30) / bytes;
    long each = calls / BATCHES > 0 ? calls / BATCHES : 1;
    int column = !strcmp(what, "column"), sends = !strcmp(what, "send");
    MPI_Datatype type = MPI_BYTE;
    int count = (int)bytes;
    if (column) {
        MPI_Type_vector((int)(bytes / 8), 1, 2, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        count = 1;
    }
    char *from = calloc(2, bytes + 16), *to = calloc(2, bytes + 16);
    double batches[BATCHES];
    for (int b = -1; b < BATCHES; b++) {
        double start = cpu_ns();
        for (long i = 0; i < each; i++) {
            MPI_Request request;
            if (sends) {
                MPI_Isend(from, count, type, 0, 0, MPI_COMM_SELF, &request);
                MPI_Recv(to, count, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
            } else {
                MPI_Irecv(to, count, type, 0, 0, MPI_COMM_SELF, &request);
                MPI_Send(from, count, type, 0, 0, MPI_COMM_SELF);
            }
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (b >= 0)
            batches[b] = (cpu_ns() - start) / each;
    }
    qsort(batches, BATCHES, sizeof *batches, ascending);
    printf("%s %ld %.1f\n", what, bytes, (batches[BATCHES / 2] + batches[(BATCHES - 1) / 2]) / 2);
    if (column)
        MPI_Type_free(&type);
    free(from);
    free(to);
    MPI_Finalize();
    return 0;
}
