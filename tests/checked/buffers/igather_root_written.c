/* The root writes into the receive buffer of a non-blocking gather.
 *
 * ranks: 2
 * expect: buffer.receive-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, all[2] = {0, 0};
    MPI_Request request;
    if (rank == 1)
        pause_ms(100);
    MPI_Igather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, WORLD, &request); /* WRONG */
#ifndef RIGHT
    if (rank == 0)
        all[1] = 55;
    use(all);
#endif
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    use(all);
}
