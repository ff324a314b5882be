/* runge_kutta: four stages in each step, then the length of the next.
 *
 * case: name=eight ranks=8 mpi=openmpi
 * fact: iterations count=30 nested=4
 * fact: pattern=halo
 * case: name=four ranks=4
 * fact: iterations count=30 nested=4
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    int list[2], n = around(1, &size, 1, 0, list);
    for (int step = 0; step < 30; step++) {
        for (int stage = 0; stage < 4; stage++) {
            halo(n, list, 20);
            work(10);
        }
        sum(step);
    }
}
