/* lockstep: a solver on a square of ranks: sums along rows, then along columns, then alone; the residual in every tenth
 * step. One step warms up.
 *
 * case: name=twenty_five ranks=25 mpi=openmpi
 * args: 5 5
 * fact: iterations count=30 warm_up=1
 * fact: grid dims=5x5
 * fact: phases count=2 groups=5
 * case: name=six ranks=6 mpi=openmpi
 * args: 2 3
 * fact: iterations count=30 warm_up=1
 * fact: grid dims=2x3
 */
#include "skeletons.h"

static int dims[2];
static MPI_Comm line[2];

__attribute__((always_inline)) static inline void solve(int axis)
{
    int lower = along(2, dims, 0, axis, -1), upper = along(2, dims, 0, axis, 1);
    double x = 1, all;
    MPI_Sendrecv(out[0], 30, MPI_DOUBLE, upper, 1, in[0], 30, MPI_DOUBLE, lower, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out[0], 30, MPI_DOUBLE, lower, 2, in[0], 30, MPI_DOUBLE, upper, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work(5);
    MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_SUM, line[axis]);
}

__attribute__((noinline)) static void rows(void) { solve(1); }
__attribute__((noinline)) static void columns(void) { solve(0); }

static void step(int i)
{
    rows();
    columns();
    work(100);
    if (i % 10 == 9)
        sum(i);
}

static void program(int argc, char **argv)
{
    int at[2];
    dims[0] = number(argc, argv, 1, 5);
    dims[1] = number(argc, argv, 2, 5);
    place(rank, 2, dims, at);
    MPI_Comm_split(MPI_COMM_WORLD, at[0], at[1], &line[1]);
    MPI_Comm_split(MPI_COMM_WORLD, at[1], at[0], &line[0]);
    step(0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 30; i++)
        step(i);
}
