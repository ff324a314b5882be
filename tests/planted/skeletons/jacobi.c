/* jacobi: sweeps, whose residual is looked at in every 25th.
 *
 * case: name=nine ranks=9 mpi=openmpi
 * args: 3 3 250
 * fact: iterations count=250
 * fact: grid dims=3x3 periodic=00
 * fact: pattern=halo neighbors=4
 * case: name=two ranks=2
 * args: 1 2 500
 * fact: iterations count=500
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    int list[4], dims[2] = {number(argc, argv, 1, 1), number(argc, argv, 2, 2)};
    int n = around(2, dims, 0, 0, list);
    for (int i = 1; i <= number(argc, argv, 3, 250); i++) {
        halo(n, list, 20);
        work(5);
        if (i % 25 == 0)
            sum(i);
    }
}
