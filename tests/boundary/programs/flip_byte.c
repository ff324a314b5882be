/* Preloaded: the first byte of every long message that MPI_Recv receives is wrong; other messages of bench are left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    static int (*real)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
    if (!real)
        *(void **)&real = dlsym(RTLD_DEFAULT, "PMPI_Recv");
    int code = real(buffer, count, type, source, tag, comm, status);
    if (count > 1000 && (type == MPI_BYTE || type == MPI_PACKED) && (tag == 7101 || tag >= 7300))
        ((char *)buffer)[0] ^= 1;
    return code;
}
