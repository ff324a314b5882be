/* A blocking receive into the buffer of a send that is under way.
 *
 * ranks: 2
 * expect: buffer.in-use
 * allow: buffer.receive-written buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank, more;
    MPI_Request request;
    MPI_Isend(&value, 1, MPI_INT, 1 - rank, 0, WORLD, &request); /* WRONG */
    MPI_Recv(TWIN(&value, &more), 1, MPI_INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(&more);
}
