/* A column of a matrix that has a row less than the datatype says.
 *
 * ranks: 2
 * expect: argument.buffer-short
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    enum { ROWS = 20, COLUMNS = 30 };
    int sizes[2] = {ROWS, COLUMNS}, inner[2] = {ROWS, 1}, from[2] = {0, COLUMNS - 1};
    enum { ALLOCATED = TWIN(ROWS - 1, ROWS) };
    double *matrix = calloc(ALLOCATED * COLUMNS, sizeof(double));
    MPI_Datatype column;
    MPI_Type_create_subarray(2, sizes, inner, from, MPI_ORDER_C, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    if (rank == 0)
        MPI_Send(matrix, 1, column, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(matrix, ROWS, MPI_DOUBLE, 0, 0, WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
    free(matrix);
}
