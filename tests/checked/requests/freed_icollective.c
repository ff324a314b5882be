/* The request of a non-blocking collective operation is freed, which is not allowed.
 *
 * ranks: 2
 * expect: request.freed-active | object.freed
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, sum = 0;
    MPI_Request request;
    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, WORLD, &request);
#ifdef RIGHT
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
    MPI_Request_free(&request); /* WRONG */
    pause_ms(100);
#endif
    use(&sum);
}
