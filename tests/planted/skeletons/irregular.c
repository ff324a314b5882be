/* irregular: an unstructured mesh in parts; who is beside whom follows no order.
 *
 * case: name=twelve ranks=12 mpi=openmpi
 * fact: iterations count=30
 * fact: pattern=irregular
 * fact: grid none
 * case: name=twenty ranks=20 mpi=openmpi
 * fact: iterations count=30
 * fact: pattern=irregular
 * fact: grid none
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    int list[MOST], n = 0;
    unsigned state = 12345;
    for (int a = 0; a < size; a++)
        for (int b = a + 1; b < size; b++) {
            state = state * 1103515245u + 12345u;
            int is_edge = (state >> 16) % 100 < 30 || b == a + 1;
            if (is_edge && (a == rank || b == rank))
                list[n++] = a == rank ? b : a;
        }
    for (int i = 0; i < 30; i++) {
        work(20);
        halo(n, list, 12);
        sum(i);
    }
}
