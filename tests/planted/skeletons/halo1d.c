/* halo1d: a rod, each rank with its two neighbours; periodic or not.
 *
 * case: name=open ranks=8 mpi=openmpi
 * fact: iterations count=50 calls=3-5
 * fact: grid dims=8 periodic=0
 * fact: pattern=halo neighbors=2
 * case: name=closed ranks=8 mpi=openmpi
 * args: 1
 * fact: iterations count=50 calls=5
 * fact: grid dims=8 periodic=1
 * fact: pattern=halo neighbors=2
 * case: name=four ranks=4
 * fact: iterations count=50 calls=3-5
 * fact: pattern=halo neighbors=2
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    int list[2], periodic = number(argc, argv, 1, 0);
    int n = around(1, &size, periodic, 0, list);
    for (int i = 0; i < 50; i++) {
        halo(n, list, 64);
        work(20);
    }
}
