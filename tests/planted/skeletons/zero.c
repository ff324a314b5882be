/* zero: ranks in pairs exchange; the odd one has nobody and waits for no requests.
 *
 * case: name=five ranks=5 mpi=openmpi
 * fact: iterations count=80
 * fact: pattern=pairs
 * case: name=three ranks=3
 * fact: iterations count=80
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    int list[1] = {rank ^ 1}, n = list[0] < size;
    for (int i = 0; i < 80; i++) {
        halo(n, list, 20);
        work(10);
    }
}
