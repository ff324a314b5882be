/* lattice: gathers on a four-dimensional lattice, as quantum chromodynamics has them: a solver of about 30 iterations in each
 * of 12 trajectories, and a wrapper around MPI_Comm_rank that two functions call all the time.
 *
 * case: name=sixteen ranks=16 mpi=openmpi
 * fact: iterations count=12 nested=28-32
 * fact: grid dims=2x2x2x2
 * fact: pattern=halo neighbors=4
 * case: name=four ranks=4
 * fact: iterations count=12 nested=28-32
 */
#include "skeletons.h"

static int dims[4];

__attribute__((noinline)) static int mynode(void)
{
    int r;
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    return r;
}

__attribute__((noinline)) static void start_gather(int direction)
{
    int to = along(4, dims, 1, direction / 2, direction % 2 ? 1 : -1);
    int from = along(4, dims, 1, direction / 2, direction % 2 ? -1 : 1);
    for (int site = 0; site < 4; site++)
        out[direction][site] = mynode();
    MPI_Irecv(in[direction], 24, MPI_DOUBLE, from, direction, MPI_COMM_WORLD, &requests[2 * direction]);
    MPI_Isend(out[direction], 24, MPI_DOUBLE, to, direction, MPI_COMM_WORLD, &requests[2 * direction + 1]);
}

__attribute__((noinline)) static void wait_gather(int direction)
{
    MPI_Wait(&requests[2 * direction], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[2 * direction + 1], MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void dslash(void)
{
    for (int d = 0; d < 8; d++)
        if (dims[d / 2] > 1)
            start_gather(d);
    work(10);
    for (int d = 0; d < 8; d++)
        if (dims[d / 2] > 1)
            wait_gather(d);
}

__attribute__((noinline)) static void update(void)
{
    for (int site = 0; site < 20; site++)
        out[0][site] += mynode();
    work(10);
}

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (int a = 0, left = size; a < 4; a++, left = left > 1 ? left / 2 : 1)
        dims[a] = left > 1 ? 2 : 1;
    for (int trajectory = 0; trajectory < 12; trajectory++) {
        update();
        for (int i = 0; i < 28 + trajectory % 5; i++) {
            dslash();
            sum(i);
        }
        MPI_Allreduce(out[0], out[1], 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}
