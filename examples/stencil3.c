/* stencil3: an implicit stencil solver with three phases in each iteration, for the pictures in docs/viewer.
 *
 *   mpirun -n 25 stencil3 [--iters N] [--n N] [--work US] [--imbalance PERCENT]
 *
 * --iters      iterations, default 60; one more comes before them as a warm-up, and a gap after that
 * --n          points of a side of each rank's block, default 96
 * --work       microseconds of computing in a sweep, default 300
 * --imbalance  how much longer the last rank computes than the first, default 60; in between, in between
 *
 * Phases, each a region of mpiscope.h:
 *   sweep          halos with the four neighbours of a periodic grid, then five points
 *   residual       a sum over the block, and its sum over all ranks: whoever comes early waits
 *   redistribute   lines of the block to the ranks of the same row, in pieces of 8 bytes to 64 KiB: coarser and
 *                  finer by turns, as the levels of a multigrid are
 *
 * The same numbers each time, whatever the number of ranks does to rounding: sums are of integers.
 */
#include <math.h>
#include <mpiscope.h>
#include <time.h>

#include "common.h"

static int rank, size, row_size;
static MPI_Comm grid, row;
static double *field, *next, *edge;
static long n;

/* Computes for so long without needing a core: 25 ranks on two cores then look as they would on 25. */
static void compute(double us)
{
    struct timespec time = {us / 1e6, fmod(us, 1e6) * 1e3};
    nanosleep(&time, NULL);
}

static void exchange(int dimension, int towards, const double *out, double *in)
{
    int from, to;
    MPI_Request requests[2];
    MPI_Cart_shift(grid, dimension, towards, &from, &to);
    MPI_Irecv(in, n, MPI_DOUBLE, from, dimension, grid, &requests[0]);
    MPI_Isend(out, n, MPI_DOUBLE, to, dimension, grid, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void sweep(double us)
{
    mpiscope_begin("sweep");
    double *north = edge, *south = edge + n, *west = edge + 2 * n, *east = edge + 3 * n, *column = edge + 4 * n;
    exchange(0, 1, field + (n - 1) * n, north);
    exchange(0, -1, field, south);
    for (long y = 0; y < n; y++) column[y] = field[y * n + n - 1];
    exchange(1, 1, column, west);
    for (long y = 0; y < n; y++) column[y] = field[y * n];
    exchange(1, -1, column, east);
    for (long y = 0; y < n; y++)
        for (long x = 0; x < n; x++) {
            double up = y ? field[(y - 1) * n + x] : north[x], down = y < n - 1 ? field[(y + 1) * n + x] : south[x];
            double left = x ? field[y * n + x - 1] : west[y], right = x < n - 1 ? field[y * n + x + 1] : east[y];
            next[y * n + x] = floor((up + down + left + right) / 4);
        }
    double *before = field;
    field = next;
    next = before;
    compute(us);
    mpiscope_end("sweep");
}

static double residual(double us)
{
    double sum = 0, all;
    mpiscope_begin("residual");
    for (long i = 0; i < n * n; i++) sum += fabs(field[i] - next[i]);
    compute(us / 3);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, grid);
    mpiscope_end("residual");
    return all;
}

static void redistribute(long step)
{
    /* 1, 4, 16 … doubles to each rank of the row, as far as there are any. */
    long share = n * n / row_size, count = 1L << (2 * (step % 7));
    if (count > share) count = share;
    int *counts = malloc(2 * row_size * sizeof *counts), *places = counts + row_size;
    for (int i = 0; i < row_size; i++) counts[i] = count, places[i] = i * share;
    mpiscope_begin("redistribute");
    MPI_Alltoallv(field, counts, places, MPI_DOUBLE, next, counts, places, MPI_DOUBLE, row);
    mpiscope_end("redistribute");
    /* What came from the rank at the same place of itself is what it has. */
    int own;
    MPI_Comm_rank(row, &own);
    CHECK(memcmp(field + places[own], next + places[own], count * sizeof *field) == 0);
    free(counts);
}

int main(int argc, char **argv)
{
    int dims[2] = {0, 0}, periods[2] = {1, 1}, keep[2] = {0, 1};
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long iters = opt_long(argc, argv, "--iters", 60);
    double us = opt_long(argc, argv, "--work", 300), more = opt_long(argc, argv, "--imbalance", 60) / 100.0;
    n = opt_long(argc, argv, "--n", 96);
    if (iters < 1 || n < 1 || us < 0) {
        fprintf(stderr, "stencil3: bad arguments; the top of stencil3.c lists them\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_sub(grid, keep, &row);
    MPI_Comm_rank(grid, &rank);
    MPI_Comm_size(row, &row_size);
    MPI_Comm_set_name(grid, "grid");
    MPI_Comm_set_name(row, "row");
    field = malloc(n * n * sizeof *field);
    next = malloc(n * n * sizeof *next);
    edge = malloc(5 * n * sizeof *edge);
    for (long i = 0; i < n * n; i++) field[i] = (rank * 7919L + i * 104729L) % 1000;
    us *= 1 + more * rank / (size > 1 ? size - 1 : 1);

    double sum = 0;
    for (long step = 0; step <= iters; step++) {
        sweep(us);
        sum = residual(us);
        redistribute(step);
        if (step == 0) {
            mpiscope_mark("warm");
            compute(20 * us);
        }
        mpiscope_value_double("residual", "1", sum);
    }
    CHECK(sum >= 0);
    int failures;
    MPI_Reduce(&check_failures, &failures, 1, MPI_INT, MPI_SUM, 0, grid);
    if (rank == 0 && failures == 0) printf("stencil3 OK: residual %.0f\n", sum);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
    free(field);
    free(next);
    free(edge);
    MPI_Finalize();
    return check_failures != 0;
}
