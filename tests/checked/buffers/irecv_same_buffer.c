/* Two receives into the same buffer.
 *
 * ranks: 2
 * expect: buffer.in-use
 * allow: buffer.receive-written buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs[2];
    MPI_Request requests[2];
    MPI_Irecv(&theirs[0], 1, MPI_INT, 1 - rank, 0, WORLD, &requests[0]); /* WRONG */
    MPI_Irecv(&theirs[TWIN(0, 1)], 1, MPI_INT, 1 - rank, 1, WORLD, &requests[1]); /* WRONG */
    MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, WORLD);
    MPI_Send(&mine, 1, MPI_INT, 1 - rank, 1, WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
