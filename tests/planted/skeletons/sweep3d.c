/* sweep3d: neutron transport: eight octants, each a wavefront from a corner, blocks of planes and angles within; the
 * flux error in each iteration.
 *
 * case: name=six ranks=6 mpi=openmpi
 * args: 2 3
 * fact: iterations count=12
 * fact: grid dims=2x3 periodic=00
 * fact: pattern=sweep direction=all
 * fact: phases most=2
 * case: name=twelve ranks=12 mpi=openmpi
 * args: 3 4
 * fact: iterations count=12
 * fact: grid dims=3x4 periodic=00
 * fact: pattern=sweep direction=all
 */
#include "skeletons.h"

static int dims[2];

__attribute__((noinline)) static void octant(int i, int j)
{
    int west = along(2, dims, 0, 1, -i), east = along(2, dims, 0, 1, i);
    int north = along(2, dims, 0, 0, -j), south = along(2, dims, 0, 0, j);
    for (int block = 0; block < 4; block++) {
        if (west != MPI_PROC_NULL)
            MPI_Recv(in[0], 30, MPI_DOUBLE, west, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (north != MPI_PROC_NULL)
            MPI_Recv(in[1], 30, MPI_DOUBLE, north, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        work(5);
        if (east != MPI_PROC_NULL)
            MPI_Send(out[0], 30, MPI_DOUBLE, east, 1, MPI_COMM_WORLD);
        if (south != MPI_PROC_NULL)
            MPI_Send(out[1], 30, MPI_DOUBLE, south, 2, MPI_COMM_WORLD);
    }
}

static void program(int argc, char **argv)
{
    dims[0] = number(argc, argv, 1, 2);
    dims[1] = number(argc, argv, 2, 3);
    for (int i = 0; i < 12; i++) {
        for (int o = 0; o < 8; o++)
            octant(o & 1 ? 1 : -1, o & 2 ? 1 : -1);
        sum(i);
    }
}
