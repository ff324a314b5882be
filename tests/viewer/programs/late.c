/* Rank 3 sleeps before each message to rank 0, which waits for it. Sleeping needs no core: a busy machine is not to blame. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        if (rank == 3) {
            usleep(100000);
            MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        } else if (rank == 0) {
            MPI_Recv(&token, 1, MPI_INT, 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
