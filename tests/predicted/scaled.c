/* A program whose scaling is known: `scaled strong|weak [STEPS]`.
 *
 * In each step a rank computes its part of a problem (strong: 200 ms divided by the ranks; weak: 50 ms), and 5 ms that every rank computes for itself;
 * exchanges its borders with both neighbours on a ring; takes part in a sum; and passes a token along a chain, for which each
 * rank needs 5 ms: so waiting for the token grows with the ranks. Computing is sleeping, so that more ranks than cores do not disturb each other.
 * Prints the time of the loop, in seconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size;

/* Computes for so many microseconds. */
static void compute(double us)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    long ns = until.tv_nsec + (long)(us * 1000);
    until.tv_sec += ns / 1000000000L;
    until.tv_nsec = ns % 1000000000L;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
        ;
}

#define CELLS 4096
static double out[CELLS], in[CELLS];

static void borders(void)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Sendrecv(out, CELLS, MPI_DOUBLE, next, 0, in, CELLS, MPI_DOUBLE, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, CELLS, MPI_DOUBLE, previous, 1, in, CELLS, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void norm(void)
{
    double one = 1, sum;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void chain(void)
{
    int token = 0;
    if (rank > 0)
        MPI_Recv(&token, 1, MPI_INT, rank - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute(5000);
    if (rank + 1 < size)
        MPI_Send(&token, 1, MPI_INT, rank + 1, 2, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int is_weak = argc > 1 && strcmp(argv[1], "weak") == 0;
    int steps = argc > 2 ? atoi(argv[2]) : 10;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        compute(is_weak ? 50000 : 200000.0 / size);
        compute(5000);
        borders();
        norm();
        chain();
    }
    double seconds = MPI_Wtime() - begin;
    if (rank == 0)
        printf("seconds %.6f\n", seconds);
    MPI_Finalize();
    return 0;
}
