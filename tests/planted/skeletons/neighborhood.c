/* neighborhood: a Cartesian communicator and neighbourhood collectives.
 *
 * case: name=twelve ranks=12 mpi=openmpi
 * args: 3 4
 * fact: iterations count=50 calls=2
 * fact: grid dims=3x4 periodic=11
 * fact: pattern=halo
 * case: name=four ranks=4
 * args: 2 2
 * fact: iterations count=50 calls=2
 * fact: grid dims=2x2
 * fact: pattern=halo
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    int dims[2] = {number(argc, argv, 1, 2), number(argc, argv, 2, 2)}, periodic[2] = {1, 1};
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 0, &grid);
    for (int step = 0; step < 50; step++) {
        work(10);
        MPI_Neighbor_alltoall(out, 20, MPI_DOUBLE, in, 20, MPI_DOUBLE, grid);
        sum(step);
    }
}
