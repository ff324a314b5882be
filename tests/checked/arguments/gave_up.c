/* A rank finds an error and returns from main, where the others wait for it.
 *
 * ranks: 2
 * expect: life.no-finalize
 * allow: deadlock.ended collective.missing
 * lines: none
 * bare: openmpi=aborts mpich=aborts
 */
#define OWN_MAIN
#include "../checked.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Barrier(WORLD);
#ifndef RIGHT
    if (rank == 1)
        return 3;
#endif
    MPI_Barrier(WORLD);
    MPI_Finalize();
    return 0;
}
