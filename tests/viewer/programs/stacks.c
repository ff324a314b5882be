/* Calls of MPI with known callers: main > solve > exchange and main > solve > norm, 20 times each, main > finish once.
 * Rank 1 computes longer than rank 0 before each exchange, so that the critical path is there. */

#include <mpi.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

static int rank, other;

NOINLINE static void compute(long us)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}

NOINLINE static int exchange(int value)
{
    int theirs = 0;
    MPI_Sendrecv(&value, 1, MPI_INT, other, 1, &theirs, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return theirs + 1;
}

NOINLINE static int norm(int value)
{
    int sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum % 7;
}

NOINLINE static int solve(int value)
{
    for (int step = 0; step < 20; step++) {
        compute(rank == 1 ? 5000 : 500);
        value = exchange(value);
        value = norm(value) + 1;
    }
    return value;
}

NOINLINE static int finish(int value)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return value + 1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    int value = finish(solve(rank));
    MPI_Finalize();
    return value < 0;
}
