/* A probe with a negative tag.
 *
 * ranks: 2
 * expect: argument.tag
 * bare: openmpi=aborts|crashes mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 1) {
        MPI_Probe(0, TWIN(-50, 5), WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Recv(&value, 1, MPI_INT, 0, 5, WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 1, 5, WORLD);
    }
}
