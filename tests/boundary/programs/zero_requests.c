/* zero_requests N: N turns in which a rank completes a list of requests that is empty, as the ranks at an edge do whose
 * exchange has no partner there. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int flag, n = argc > 1 ? atoi(argv[1]) : 10;
    MPI_Request none[1];
    MPI_Init(&argc, &argv);
    for (int i = 0; i < n; i++) {
        MPI_Waitall(0, none, MPI_STATUSES_IGNORE);
        MPI_Testall(0, none, &flag, MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    puts("zero_requests OK");
    return 0;
}
