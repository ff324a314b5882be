/* halo2d: the five-point stencil, or nine points; a norm in each step.
 *
 * case: name=faces ranks=16 mpi=openmpi
 * args: 4 4 0 0
 * fact: iterations count=40 calls=6-10
 * fact: grid dims=4x4 periodic=00
 * fact: pattern=halo neighbors=4
 * case: name=faces_closed ranks=15 mpi=openmpi
 * args: 3 5 1 0
 * fact: iterations count=40 calls=10
 * fact: grid dims=3x5 periodic=11
 * fact: pattern=halo neighbors=4
 * case: name=diagonals ranks=16 mpi=openmpi
 * args: 4 4 0 1
 * fact: iterations count=40 calls=8-18
 * fact: grid dims=4x4 periodic=00
 * fact: pattern=halo neighbors=8
 * case: name=four ranks=4
 * args: 2 2 0 0
 * fact: iterations count=40 calls=6
 * fact: grid dims=2x2
 * fact: pattern=halo neighbors=2
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    int list[8], dims[2] = {number(argc, argv, 1, 2), number(argc, argv, 2, 2)};
    int n = around(2, dims, number(argc, argv, 3, 0), number(argc, argv, 4, 0), list);
    for (int i = 0; i < 40; i++) {
        work(20);
        halo(n, list, 32);
        sum(i);
    }
}
