/* A column is read that is being received; the one beside it may be.
 *
 * ranks: 2
 * lines: first
 * flags: -fsanitize=thread
 * expect: buffer.receive-read
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static double matrix[64][64];

static void program(void)
{
    MPI_Datatype column;
    MPI_Request request;
    double sum = 0;
    MPI_Type_vector(64, 1, 64, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    if (rank == 1) {
        MPI_Irecv(&matrix[0][5], 1, column, 0, 0, WORLD, &request);
        for (int i = 0; i < 64; i++) {
            sum += matrix[i][4] + matrix[i][6];
#ifndef RIGHT
            sum += matrix[i][5]; /* WRONG */
#endif
        }
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(WORLD);
        MPI_Send(&matrix[0][5], 1, column, 1, 0, WORLD);
    }
    MPI_Type_free(&column);
    use(&sum);
}
