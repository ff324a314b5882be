/* A column that is being received is read; its right twin reads and writes those beside it. Not optimised.
 *
 * ranks: 2
 * expect: buffer.receive-read
 * lines: first
 * flags: -O0
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    float field[9][8] = {{0}}, sum = 0;
    MPI_Datatype column;
    MPI_Request request;
    MPI_Type_vector(9, 1, 8, MPI_FLOAT, &column);
    MPI_Type_commit(&column);
    if (rank == 0) {
        MPI_Irecv(&field[0][5], 1, column, 1, 0, WORLD, &request);
        for (int i = 1; i < 8; i++) {
            field[i][4] = 1;
            field[i][6] = 2;
            sum += field[i][TWIN(5, 4)]; /* WRONG */
        }
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        use(&sum);
    } else {
        MPI_Barrier(WORLD);
        MPI_Send(&field[0][5], 1, column, 0, 0, WORLD);
    }
    MPI_Type_free(&column);
}
