/* A call after MPI_Finalize.
 *
 * ranks: 2
 * expect: life.outside
 * bare: openmpi=aborts mpich=aborts
 */
#define OWN_MAIN
#include "../checked.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
#ifdef RIGHT
    MPI_Barrier(WORLD);
#endif
    MPI_Finalize();
#ifndef RIGHT
    MPI_Barrier(WORLD); /* WRONG */
#endif
    return 0;
}
