/* implicit: an implicit time step: the length of the step, a solver until it converges, results in every tenth step.
 *
 * case: name=fixed ranks=4
 * args: 40 148 0
 * fact: iterations count=40 nested=148
 * fact: pattern=halo
 * case: name=varying ranks=9 mpi=openmpi
 * args: 40 37 5
 * fact: iterations count=40 nested=35-39
 * fact: pattern=halo
 * fact: grid dims=3x3
 * case: name=few ranks=2
 * args: 6 203 0
 * fact: iterations count=6 nested=203
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    int steps = number(argc, argv, 1, 40), usual = number(argc, argv, 2, 148), varies = number(argc, argv, 3, 0);
    int list[4], dims[2] = {size % 3 ? size / 2 : 3, size % 3 ? 2 : size / 3};
    int n = around(2, dims, 0, 0, list);
    for (int step = 0; step < steps; step++) {
        double length = 1, least;
        MPI_Allreduce(&length, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
        int iterations = usual + (varies ? step * 3 % varies - varies / 2 : 0);
        for (int i = 0; i < iterations; i++) {
            halo(n, list, 20);
            work(3);
            sum(i);
        }
        if (step % 10 == 0)
            MPI_Reduce(&length, &least, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    }
}
