/* boltzmann: lattice Boltzmann with nine velocities: eight neighbours, one MPI_Sendrecv each; the mass in every 20th step.
 *
 * case: name=sixteen ranks=16 mpi=openmpi
 * args: 4 4
 * fact: iterations count=100 calls=8
 * fact: grid dims=4x4 periodic=11
 * fact: pattern=halo neighbors=8
 * case: name=twenty ranks=20 mpi=openmpi
 * args: 4 5
 * fact: iterations count=100 calls=8
 * fact: grid dims=4x5 periodic=11
 * fact: pattern=halo neighbors=8
 */
#include "skeletons.h"

static int dims[2];

static void stream(void)
{
    static const int way[8][2] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
    for (int d = 0; d < 8; d++) {
        int back[2] = {-way[d][0], -way[d][1]};
        int to = neighbour(2, dims, 1, way[d]), from = neighbour(2, dims, 1, back);
        MPI_Sendrecv(out[d], 30, MPI_DOUBLE, to, d, in[d], 30, MPI_DOUBLE, from, d, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void program(int argc, char **argv)
{
    dims[0] = number(argc, argv, 1, 4);
    dims[1] = number(argc, argv, 2, 4);
    for (int i = 0; i < 100; i++) {
        work(10);
        stream();
        if (i % 20 == 19)
            sum(i);
    }
}
