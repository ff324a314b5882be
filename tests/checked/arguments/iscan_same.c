/* A non-blocking scan from and to the same place.
 *
 * ranks: 2
 * expect: argument.buffers-overlap
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, sum = 0;
    MPI_Request request;
    MPI_Iscan(TWIN(&sum, &mine), &sum, 1, MPI_INT, MPI_SUM, WORLD, &request); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(&mine);
}
