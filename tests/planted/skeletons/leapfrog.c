/* leapfrog: the first step is half a step and has half the exchanges.
 *
 * case: name=six ranks=6 mpi=openmpi
 * fact: iterations count=49
 * fact: grid dims=6 periodic=1
 * fact: pattern=halo neighbors=2
 * case: name=four ranks=4
 * fact: iterations count=49
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    int list[2], n = around(1, &size, 1, 0, list);
    work(10);
    halo(n, list, 20);
    for (int step = 1; step < 50; step++) {
        work(10);
        halo(n, list, 20);
        work(10);
        halo(n, list, 20);
        sum(step);
    }
}
