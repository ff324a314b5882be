/* edges: ranks at edges and in corners have other calls: blocking exchanges, left out where there is no neighbour.
 *
 * case: name=nine ranks=9 mpi=openmpi
 * args: 3 3
 * fact: iterations count=60 warm_up=0
 * fact: grid dims=3x3 periodic=00
 * fact: pattern=halo neighbors=4
 * case: name=sixteen ranks=16 mpi=openmpi
 * args: 4 4
 * fact: iterations count=60
 * fact: grid dims=4x4 periodic=00
 * fact: pattern=halo neighbors=4
 * case: name=three ranks=3
 * args: 1 3
 * fact: iterations count=60
 * fact: pattern=halo neighbors=2
 */
#include "skeletons.h"

static int dims[2];

__attribute__((noinline)) static void west_to_east(int axis)
{
    int to = along(2, dims, 0, axis, 1), from = along(2, dims, 0, axis, -1);
    if (to != MPI_PROC_NULL)
        MPI_Send(out[0], 20, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
    if (from != MPI_PROC_NULL)
        MPI_Recv(in[0], 20, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void east_to_west(int axis)
{
    int to = along(2, dims, 0, axis, -1), from = along(2, dims, 0, axis, 1);
    if (to != MPI_PROC_NULL)
        MPI_Send(out[0], 20, MPI_DOUBLE, to, 2, MPI_COMM_WORLD);
    if (from != MPI_PROC_NULL)
        MPI_Recv(in[0], 20, MPI_DOUBLE, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void program(int argc, char **argv)
{
    dims[0] = number(argc, argv, 1, 3);
    dims[1] = number(argc, argv, 2, 3);
    for (int i = 0; i < 60; i++) {
        for (int axis = 0; axis < 2; axis++) {
            west_to_east(axis);
            east_to_west(axis);
        }
        work(20);
    }
}
