/* pipeline: stages, each with the one before and the one after; equal pieces.
 *
 * case: name=eight ranks=8 mpi=openmpi
 * fact: iterations count=200
 * fact: pattern=pipeline direction=forward
 * case: name=four ranks=4
 * fact: iterations count=200
 * fact: pattern=pipeline direction=forward
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (int item = 0; item < 200; item++) {
        if (rank > 0)
            MPI_Recv(in[0], 40, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        work(10);
        if (rank + 1 < size)
            MPI_Send(out[0], 40, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
    }
}
