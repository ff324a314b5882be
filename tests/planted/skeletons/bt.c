/* bt: block-tridiagonal solver on a square of ranks with one cell of each diagonal for each: faces are copied, then
 * lines are swept forth and back along x, y and z. One step warms up.
 *
 * case: name=five ranks=25 mpi=openmpi
 * args: 5 10
 * fact: iterations count=10 warm_up=1
 * fact: phases count=4 groups=5
 * fact: grid dims=5x5
 * case: name=four ranks=16 mpi=openmpi
 * args: 4 12
 * fact: iterations count=12 warm_up=1 calls=67
 * fact: phases count=4 groups=4
 * fact: grid dims=4x4
 * case: name=two ranks=4
 * args: 2 20
 * fact: iterations count=20 warm_up=1
 * fact: phases count=4
 */
#include "skeletons.h"

static int dims[2];

__attribute__((noinline)) static void copy_faces(void)
{
    int list[6] = {along(2, dims, 1, 0, 1), along(2, dims, 1, 0, -1), along(2, dims, 1, 1, 1), along(2, dims, 1, 1, -1)};
    int up[2] = {1, -1}, down[2] = {-1, 1};
    list[4] = neighbour(2, dims, 1, up);
    list[5] = neighbour(2, dims, 1, down);
    for (int i = 0; i < 6; i++)
        MPI_Irecv(in[i], 80, MPI_DOUBLE, list[i], 10 + (i ^ 1), MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < 6; i++)
        MPI_Isend(out[i], 80, MPI_DOUBLE, list[i], 10 + i, MPI_COMM_WORLD, &requests[6 + i]);
    MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
}

static inline void solve(int next, int last, int tag)
{
    for (int way = 0; way < 2; way++) {
        int to = way ? last : next, from = way ? next : last;
        for (int stage = 0; stage < dims[0]; stage++) {
            if (stage > 0) {
                MPI_Irecv(in[0], 40, MPI_DOUBLE, from, tag + way, MPI_COMM_WORLD, &requests[0]);
                MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
            }
            work(4);
            if (stage + 1 < dims[0])
                MPI_Send(out[0], 40, MPI_DOUBLE, to, tag + way, MPI_COMM_WORLD);
        }
    }
}

__attribute__((noinline)) static void x_solve(void)
{
    solve(along(2, dims, 1, 1, 1), along(2, dims, 1, 1, -1), 20);
}

__attribute__((noinline)) static void y_solve(void)
{
    solve(along(2, dims, 1, 0, 1), along(2, dims, 1, 0, -1), 30);
}

__attribute__((noinline)) static void z_solve(void)
{
    int up[2] = {1, -1}, down[2] = {-1, 1};
    solve(neighbour(2, dims, 1, up), neighbour(2, dims, 1, down), 40);
}

static void step(void)
{
    copy_faces();
    work(10);
    x_solve();
    y_solve();
    z_solve();
}

static void program(int argc, char **argv)
{
    dims[0] = dims[1] = number(argc, argv, 1, 2);
    step();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < number(argc, argv, 2, 10); i++)
        step();
}
