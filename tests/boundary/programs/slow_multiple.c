/* Preloaded: where MPI_THREAD_MULTIPLE was required, each MPI_Isend takes 5 µs longer. */
#define _GNU_SOURCE
#include <mpi.h>
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
    is_slow = required == MPI_THREAD_MULTIPLE;
    return PMPI_Init_thread(argc, argv, required, provided);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    for (long long end = now_ns() + 5000; is_slow && now_ns() < end;) {
    }
    return PMPI_Isend(buffer, count, type, dest, tag, comm, request);
}
