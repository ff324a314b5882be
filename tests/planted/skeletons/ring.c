/* ring: all pairs of bodies: blocks go round once in each step.
 *
 * case: name=six ranks=6 mpi=openmpi
 * fact: iterations count=25 nested=5 calls=6
 * fact: pattern=ring
 * case: name=three ranks=3
 * fact: iterations count=25
 * fact: pattern=ring
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (int step = 0; step < 25; step++) {
        for (int shift = 1; shift < size; shift++) {
            MPI_Sendrecv_replace(out[0], 50, MPI_DOUBLE, (rank + 1) % size, 1, (rank + size - 1) % size, 1,
                                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            work(10);
        }
        sum(step);
    }
}
