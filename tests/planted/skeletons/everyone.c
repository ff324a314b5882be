/* everyone: each rank exchanges with every other by messages.
 *
 * case: name=eight ranks=8 mpi=openmpi
 * fact: iterations count=30 calls=16
 * fact: pattern=alltoall
 * fact: grid none
 * case: name=four ranks=4
 * fact: iterations count=30 calls=8
 * fact: pattern=alltoall
 * fact: grid none
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    int list[MOST], n = 0;
    for (int r = 0; r < size; r++)
        if (r != rank)
            list[n++] = r;
    for (int i = 0; i < 30; i++) {
        work(10);
        halo(n, list, 20);
        sum(i);
    }
}
