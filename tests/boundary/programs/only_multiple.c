/* Preloaded: a process that requires less than MPI_THREAD_MULTIPLE ends. */
#include <mpi.h>
#include <stdlib.h>

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    if (required != MPI_THREAD_MULTIPLE)
        exit(3);
    return PMPI_Init_thread(argc, argv, required, provided);
}
