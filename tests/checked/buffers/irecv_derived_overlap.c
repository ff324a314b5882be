/* Two columns are received at once, and they are the same one; different ones are interleaved and right.
 *
 * ranks: 2
 * expect: buffer.in-use
 * allow: buffer.receive-written buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int field[64] = {rank};
    MPI_Datatype column;
    MPI_Request requests[2];
    MPI_Type_vector(8, 1, 8, MPI_INT, &column);
    MPI_Type_commit(&column);
    if (rank == 0) {
        MPI_Irecv(&field[2], 1, column, 1, 0, WORLD, &requests[0]); /* WRONG */
        MPI_Irecv(&field[TWIN(2, 3)], 1, column, 1, 1, WORLD, &requests[1]); /* WRONG */
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Send(&field[2], 1, column, 0, 0, WORLD);
        MPI_Send(&field[3], 1, column, 0, 1, WORLD);
    }
    MPI_Type_free(&column);
}
