/* Preloaded: the processes of a job of four ranks end in MPI_Init_thread. */
#include <mpi.h>
#include <stdlib.h>

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int size, error = PMPI_Init_thread(argc, argv, required, provided);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 4)
        _Exit(3);
    return error;
}
