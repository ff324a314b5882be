/* Preloaded: each MPI_Send of one rank, given by SLOW_RANK, takes 100 µs longer. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static int is_slow;

static long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int code = PMPI_Init_thread(argc, argv, required, provided);
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    is_slow = getenv("SLOW_RANK") && rank == atoi(getenv("SLOW_RANK"));
    return code;
}

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    for (long long end = now_ns() + 100000; is_slow && now_ns() < end;) {
    }
    return PMPI_Send(buffer, count, type, dest, tag, comm);
}
