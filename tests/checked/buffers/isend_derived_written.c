/* A column that is being sent is changed; between its elements writing is allowed.
 *
 * ranks: 2
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int field[64] = {rank};
    MPI_Datatype column;
    MPI_Request request;
    MPI_Type_vector(8, 1, 8, MPI_INT, &column);
    MPI_Type_commit(&column);
    if (rank == 0) {
        MPI_Issend(&field[3], 1, column, 1, 0, WORLD, &request); /* WRONG */
        field[16 + TWIN(3, 4)] = 9;
        use(field);
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    } else {
        MPI_Barrier(WORLD);
        MPI_Recv(&field[3], 1, column, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&column);
}
