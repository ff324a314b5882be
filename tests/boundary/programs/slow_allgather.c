/* Preloaded: MPI_Allgather takes 2 ms longer. */
#define _GNU_SOURCE
#include <mpi.h>
#include <time.h>

int MPI_Allgather(const void *from, int out, MPI_Datatype out_type, void *into, int in, MPI_Datatype in_type, MPI_Comm comm)
{
    struct timespec wait = {0, 2000000};
    nanosleep(&wait, NULL);
    return PMPI_Allgather(from, out, out_type, into, in, in_type, comm);
}
