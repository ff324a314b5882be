/* Rank 1 sends long before rank 0 receives, and has posted a receive long before rank 0 sends. One message is never received. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    double early[4] = {0}, late[16] = {0}, lost = 0;
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        usleep(200000);
        MPI_Recv(early, 4, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(200000);
        MPI_Send(late, 16, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
        MPI_Send(&lost, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
        usleep(100000);
    } else if (rank == 1) {
        MPI_Irecv(late, 16, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &request);
        MPI_Send(early, 4, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
