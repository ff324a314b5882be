/* Preloaded: MPI_Allgather takes 20 ms longer, which is more than what a busy machine adds to the functions beside it. */
#define _GNU_SOURCE
#include <mpi.h>
#include <time.h>

int MPI_Allgather(const void *from, int out, MPI_Datatype out_type, void *into, int in, MPI_Datatype in_type, MPI_Comm comm)
{
    struct timespec wait = {0, 20000000};
    nanosleep(&wait, NULL);
    return PMPI_Allgather(from, out, out_type, into, in, in_type, comm);
}
