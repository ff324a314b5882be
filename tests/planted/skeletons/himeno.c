/* himeno: Jacobi in three dimensions, one axis after the other; the residual in each iteration.
 *
 * case: name=twelve ranks=12 mpi=openmpi
 * args: 3 2 2
 * fact: iterations count=50
 * fact: grid dims=3x2x2 periodic=000
 * fact: pattern=halo
 * fact: phases most=4
 * case: name=four ranks=4
 * args: 1 2 2
 * fact: iterations count=50
 */
#include "skeletons.h"

static int dims[3];

static inline void exchange(int axis)
{
    int lower = along(3, dims, 0, axis, -1), upper = along(3, dims, 0, axis, 1), n = 0;
    MPI_Irecv(in[0], 50, MPI_DOUBLE, lower, 1, MPI_COMM_WORLD, &requests[n++]);
    MPI_Irecv(in[1], 50, MPI_DOUBLE, upper, 2, MPI_COMM_WORLD, &requests[n++]);
    MPI_Isend(out[0], 50, MPI_DOUBLE, upper, 1, MPI_COMM_WORLD, &requests[n++]);
    MPI_Isend(out[1], 50, MPI_DOUBLE, lower, 2, MPI_COMM_WORLD, &requests[n++]);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

__attribute__((noinline)) static void x(void) { exchange(2); }
__attribute__((noinline)) static void y(void) { exchange(1); }
__attribute__((noinline)) static void z(void) { exchange(0); }

static void program(int argc, char **argv)
{
    for (int a = 0; a < 3; a++)
        dims[a] = number(argc, argv, 1 + a, 1);
    for (int i = 0; i < 50; i++) {
        work(20);
        z();
        y();
        x();
        sum(i);
    }
}
