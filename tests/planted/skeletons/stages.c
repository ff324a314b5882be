/* stages: three nests: steps, stages of each step, and a solver of 12 iterations in each stage.
 *
 * case: name=five ranks=5 mpi=openmpi
 * fact: iterations count=20 nested=3x12
 * case: name=four ranks=4
 * fact: iterations count=20 nested=3x12
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    int list[2], n = around(1, &size, 0, 0, list);
    for (int step = 0; step < 20; step++) {
        double x = step, all;
        MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
        for (int stage = 0; stage < 3; stage++) {
            halo(n, list, 30);
            for (int i = 0; i < 12; i++) {
                work(3);
                MPI_Sendrecv_replace(out[0], 20, MPI_DOUBLE, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 1,
                                     rank > 0 ? rank - 1 : MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sum(i);
            }
        }
    }
}
