/* Queues of messages of known length on 2 ranks: rank 1 sends 40 messages that rank 0 has posted no receive for; then
 * rank 0 posts 25 receives that nothing has been sent for. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    enum { LATE = 40, EARLY = 25 };
    int rank, flag, data = 0, in[LATE];
    MPI_Request requests[EARLY];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        for (int i = 0; i < LATE; i++)
            MPI_Send(&data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    /* What has come is looked at while a call makes progress. */
    for (int i = 0; i < 20; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        usleep(2000);
    }
    if (rank == 0) {
        for (int i = 0; i < LATE; i++)
            MPI_Recv(&in[i], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < EARLY; i++)
            MPI_Irecv(&in[i], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < 20; i++) {
            MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            usleep(2000);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        for (int i = 0; i < EARLY; i++)
            MPI_Send(&data, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    else if (rank == 0)
        MPI_Waitall(EARLY, requests, MPI_STATUSES_IGNORE);
    if (rank == 0)
        puts("queues OK");
    MPI_Finalize();
    return 0;
}
