/* Preloaded: the last byte of a partitioned message that is received is not what was sent. */
#include <mpi.h>

static unsigned char *last;

int MPI_Precv_init(void *buffer, int partitions, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    /* The datatype is MPI_BYTE. */
    last = (unsigned char *)buffer + partitions * count - 1;
    return PMPI_Precv_init(buffer, partitions, count, type, source, tag, comm, info, request);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    int code = PMPI_Waitall(count, requests, statuses);
    if (last)
        *last ^= 1;
    return code;
}
