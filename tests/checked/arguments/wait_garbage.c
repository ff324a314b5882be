/* A wait for a request that was never assigned.
 *
 * ranks: 1
 * expect: argument.request
 * bare: openmpi=crashes mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = 1;
    MPI_Request request;
    memset(&request, 0x5a, sizeof request);
#ifdef RIGHT
    MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD, &request);
#endif
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    use(&value);
}
