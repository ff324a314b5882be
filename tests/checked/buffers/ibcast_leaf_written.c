/* A rank writes where it is to receive a broadcast.
 *
 * ranks: 2
 * expect: buffer.receive-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[100] = {rank};
    MPI_Request request;
    if (rank == 0)
        pause_ms(100);
    MPI_Ibcast(values, 100, MPI_INT, 0, WORLD, &request); /* WRONG */
#ifndef RIGHT
    if (rank == 1)
        values[50] = 123;
    use(values);
#endif
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
}
