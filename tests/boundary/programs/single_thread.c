/* Preloaded: an MPI that provides only MPI_THREAD_SINGLE. */
#include <mpi.h>

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)required;
    return PMPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, provided);
}
