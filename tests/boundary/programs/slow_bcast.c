/* Preloaded: MPI_Bcast takes 20 ms longer: more than a time slice. */
#define _GNU_SOURCE
#include <mpi.h>
#include <time.h>

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    struct timespec wait = {0, 20000000};
    nanosleep(&wait, NULL);
    return PMPI_Bcast(buffer, count, type, root, comm);
}
