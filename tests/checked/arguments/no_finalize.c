/* One rank leaves without MPI_Finalize.
 *
 * ranks: 2
 * expect: life.no-finalize
 * lines: none
 * bare: openmpi=aborts mpich=ends
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
        return 0;
#endif
    MPI_Finalize();
    return 0;
}
