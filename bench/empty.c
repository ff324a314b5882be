/* Preloaded: an MPI_Send that returns at once, to measure what reaches it costs. */
#include <stddef.h>

int MPI_Send(const void *data, int count, size_t type, int to, int tag, size_t comm)
{
    (void)data, (void)count, (void)type, (void)to, (void)tag, (void)comm;
    return 0;
}
