/* A call before MPI_Init.
 *
 * ranks: 2
 * expect: life.outside
 * bare: openmpi=aborts mpich=aborts
 */
#define OWN_MAIN
#include "../checked.h"

int main(int argc, char **argv)
{
    int value = 0;
#ifndef RIGHT
    MPI_Comm_rank(WORLD, &rank); /* WRONG */
#endif
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
    MPI_Finalize();
    return 0;
}
