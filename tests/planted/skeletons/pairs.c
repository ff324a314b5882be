/* pairs: every even rank plays with the next.
 *
 * case: name=eight ranks=8 mpi=openmpi
 * fact: iterations count=300 calls=2
 * fact: pattern=pairs
 * case: name=two ranks=2
 * fact: iterations count=300 calls=2
 * fact: pattern=pairs
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (int i = 0; i < 300; i++) {
        if (rank % 2 == 0) {
            MPI_Send(out[0], 10, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
            MPI_Recv(in[0], 10, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(in[0], 10, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out[0], 10, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD);
        }
        work(3);
    }
}
