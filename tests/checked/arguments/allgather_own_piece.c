/* A rank sends its own piece of the receive buffer, without MPI_IN_PLACE.
 *
 * ranks: 2
 * expect: argument.buffers-overlap
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int all[2];
    all[rank] = rank;
    MPI_Allgather(TWIN(&all[rank], MPI_IN_PLACE), 1, MPI_INT, all, 1, MPI_INT, WORLD); /* WRONG */
}
