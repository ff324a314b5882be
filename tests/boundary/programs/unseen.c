/* Calls that get past the recorder: by profiling name, and (never reached) an extension. */
#include <mpi.h>

int MPIX_Query_cuda_support(void);

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1)
        MPIX_Query_cuda_support();
    MPI_Finalize();
    return 0;
}
