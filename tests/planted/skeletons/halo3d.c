/* halo3d: seven points or 27 points in three dimensions.
 *
 * case: name=faces ranks=27 mpi=openmpi
 * args: 3 3 3 0 0 20
 * fact: iterations count=20
 * fact: grid dims=3x3x3 periodic=000
 * fact: pattern=halo neighbors=6
 * case: name=all ranks=64 mpi=openmpi
 * args: 4 4 4 1 1 8
 * fact: iterations count=8 calls=53
 * fact: grid dims=4x4x4 periodic=111
 * fact: pattern=halo neighbors=26
 * case: name=eight ranks=8 mpi=openmpi
 * args: 2 2 2 0 0 30
 * fact: iterations count=30 calls=7
 * fact: grid dims=2x2x2
 * fact: pattern=halo neighbors=3
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    int list[26], dims[3] = {number(argc, argv, 1, 2), number(argc, argv, 2, 2), number(argc, argv, 3, 2)};
    int n = around(3, dims, number(argc, argv, 4, 0), number(argc, argv, 5, 0), list);
    for (int i = 0; i < number(argc, argv, 6, 20); i++) {
        halo(n, list, 16 + 16 * 3);
        work(20);
    }
}
