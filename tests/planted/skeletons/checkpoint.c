/* checkpoint: a stencil that writes its field through rank 0 in every tenth step and says how far it is in every fifth.
 *
 * case: name=eight ranks=8 mpi=openmpi
 * fact: iterations count=100
 * fact: grid dims=8 periodic=0
 * fact: pattern=halo neighbors=2
 * case: name=four ranks=4
 * fact: iterations count=100
 */
#include "skeletons.h"

__attribute__((noinline)) static void gather(void)
{
    if (rank > 0)
        MPI_Send(out[0], 100, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD);
    else
        for (int r = 1; r < size; r++)
            MPI_Recv(in[r], 100, MPI_DOUBLE, r, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    int list[2], n = around(1, &size, 0, 0, list);
    for (int step = 0; step < 100; step++) {
        double x = step, all;
        MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
        halo(n, list, 30);
        work(10);
        if (step % 5 == 0)
            sum(step);
        if (step % 10 == 9)
            gather();
    }
}
