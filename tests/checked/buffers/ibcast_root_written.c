/* The root changes what it broadcasts before the wait.
 *
 * ranks: 2
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[100] = {rank};
    MPI_Request request;
    MPI_Ibcast(values, 100, MPI_INT, 0, WORLD, &request); /* WRONG */
#ifndef RIGHT
    if (rank == 0)
        values[99] = 5;
    use(values);
#endif
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
#ifdef RIGHT
    values[99] = 5;
    use(values);
#endif
}
