/* pool: a master hands out tasks of uneven length; which worker does how many is chance.
 *
 * case: name=five ranks=5 mpi=openmpi
 * fact: pattern=master_worker
 * case: name=three ranks=3 mpi=openmpi
 * fact: pattern=master_worker
 * case: name=thirteen ranks=13 mpi=openmpi
 * fact: pattern=master_worker
 */
#include "skeletons.h"

enum { TASKS = 100 };

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    double task = 0;
    MPI_Status status;
    if (rank > 0) {
        while (task >= 0) {
            MPI_Send(&task, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
            MPI_Recv(&task, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            work(20 + (int)task % 7 * 10);
        }
        return;
    }
    for (int next = 0, left = size - 1; left > 0; next++) {
        MPI_Recv(in[0], 1, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        double what = next < TASKS ? next : -1;
        left -= what < 0;
        MPI_Send(&what, 1, MPI_DOUBLE, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
    }
}
