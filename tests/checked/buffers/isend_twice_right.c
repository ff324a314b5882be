/* Two sends may share a buffer; a receive may not join them.
 *
 * ranks: 3
 * expect: buffer.in-use
 * allow: buffer.receive-written buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank, more;
    MPI_Request requests[3];
    if (rank == 0) {
        MPI_Isend(&value, 1, MPI_INT, 1, 0, WORLD, &requests[0]); /* WRONG */
        MPI_Isend(&value, 1, MPI_INT, 2, 0, WORLD, &requests[1]); /* WRONG */
        MPI_Irecv(TWIN(&value, &more), 1, MPI_INT, 1, 1, WORLD, &requests[2]); /* WRONG */
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        use(&more);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(&value, 1, MPI_INT, 0, 1, WORLD);
    }
}
