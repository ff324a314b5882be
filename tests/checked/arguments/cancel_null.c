/* MPI_Cancel of MPI_REQUEST_NULL.
 *
 * ranks: 2
 * expect: argument.request
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Request request = MPI_REQUEST_NULL;
#ifdef RIGHT
    MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 0, WORLD, &request);
#endif
    MPI_Cancel(&request); /* WRONG */
#ifdef RIGHT
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
    (void)value;
#endif
}
