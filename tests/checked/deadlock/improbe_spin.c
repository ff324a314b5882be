/* MPI_Improbe in a loop on both ranks.
 *
 * ranks: 2
 * expect: deadlock.polling
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs, there = 0;
    MPI_Message message;
#ifdef RIGHT
    MPI_Request request;
    MPI_Isend(&mine, 1, MPI_INT, 1 - rank, 0, WORLD, &request);
#endif
    while (!there)
        MPI_Improbe(1 - rank, 0, WORLD, &there, &message, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Mrecv(&theirs, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
#ifdef RIGHT
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
    MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, WORLD);
#endif
}
