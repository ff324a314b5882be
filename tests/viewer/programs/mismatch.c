// Sends integers where doubles are received, and keeps a datatype: what a check finds.
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[4] = {1, 2, 3, 4};
    double got[4];
    MPI_Datatype kept;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(2, MPI_INT, &kept);
    MPI_Type_commit(&kept);
    for (int i = 0; i < 20; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(values, 4, MPI_INT, 1, 5, MPI_COMM_WORLD);
    else
        MPI_Recv(got, 4, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 20; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
