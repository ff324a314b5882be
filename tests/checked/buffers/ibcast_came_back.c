/* The root of a broadcast writes what is under way, and the broadcast itself writes the old values back.
 *
 * ranks: 2
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double values[100] = {0};
    MPI_Request request;
    MPI_Ibcast(values, 100, MPI_DOUBLE, 1, WORLD, &request); /* WRONG */
#ifndef RIGHT
    if (rank == 1)
        memcpy(&values[10], "changed", 8);
    use(values);
#endif
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
}
