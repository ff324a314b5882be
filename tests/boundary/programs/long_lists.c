/* long_lists N: two ranks exchange N messages in both directions at once, seven times, and complete each exchange in another
 * way: MPI_Waitall without and with statuses (from any source), MPI_Testall, MPI_Waitsome, MPI_Waitany until one is left and
 * MPI_Wait, and twice MPI_Startall with MPI_Waitall. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 500, rank, flag, index, count;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request *all = malloc(2 * n * sizeof *all);
    MPI_Status *statuses = malloc(2 * n * sizeof *statuses);
    int *indices = malloc(2 * n * sizeof *indices), *data = calloc(2 * n, sizeof *data);
    for (int way = 0; way < 5; way++) {
        for (int i = 0; i < n; i++)
            MPI_Irecv(data + i, 1, MPI_INT, way == 1 ? MPI_ANY_SOURCE : 1 - rank, i, MPI_COMM_WORLD, all + i);
        for (int i = 0; i < n; i++)
            MPI_Isend(data + n + i, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, all + n + i);
        if (way == 0)
            MPI_Waitall(2 * n, all, MPI_STATUSES_IGNORE);
        if (way == 1)
            MPI_Waitall(2 * n, all, statuses);
        if (way == 2)
            do
                MPI_Testall(2 * n, all, &flag, MPI_STATUSES_IGNORE);
            while (!flag);
        if (way == 3)
            for (int left = 2 * n; left; left -= count)
                MPI_Waitsome(2 * n, all, &count, indices, MPI_STATUSES_IGNORE);
        if (way == 4) {
            for (int left = 2 * n; left > 1; left--)
                MPI_Waitany(2 * n, all, &index, MPI_STATUS_IGNORE);
            for (int i = 0; i < 2 * n; i++)
                MPI_Wait(all + i, MPI_STATUS_IGNORE);
        }
    }
    for (int i = 0; i < n; i++)
        MPI_Recv_init(data + i, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, all + i);
    for (int i = 0; i < n; i++)
        MPI_Send_init(data + n + i, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, all + n + i);
    for (int turn = 0; turn < 2; turn++) {
        MPI_Startall(2 * n, all);
        MPI_Waitall(2 * n, all, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 2 * n; i++)
        MPI_Request_free(all + i);
    MPI_Finalize();
    puts("long_lists OK");
    return 0;
}
