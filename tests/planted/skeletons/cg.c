/* cg: an eigenvalue by inverse iteration: 15 times 25 steps of conjugate gradients, whose sums go through a butterfly
 * of messages. One outer step warms up.
 *
 * case: name=eight ranks=8 mpi=openmpi
 * fact: iterations count=15 warm_up=1 nested=25
 * fact: pattern=butterfly
 * case: name=four ranks=4
 * fact: iterations count=15 warm_up=1 nested=25
 * case: name=sixteen ranks=16 mpi=openmpi
 * fact: iterations count=15 warm_up=1 nested=25
 * fact: pattern=butterfly
 */
#include "skeletons.h"

__attribute__((always_inline)) static inline void butterfly(void)
{
    for (int bit = 1; bit < size; bit *= 2) {
        MPI_Irecv(in[0], 1, MPI_DOUBLE, rank ^ bit, 3, MPI_COMM_WORLD, &requests[0]);
        MPI_Send(out[0], 1, MPI_DOUBLE, rank ^ bit, 3, MPI_COMM_WORLD);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
}

static void solve(void)
{
    butterfly();
    for (int i = 0; i < 25; i++) {
        work(5);
        butterfly();
        butterfly();
    }
}

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (int i = 0; i <= 15; i++) {
        if (i == 1)
            MPI_Barrier(MPI_COMM_WORLD);
        solve();
        butterfly();
    }
}
