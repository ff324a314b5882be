/* Columns whose extent lets those of different processes overlap.
 *
 * ranks: 2
 * expect: argument.receive-overlap
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double column[4] = {rank}, matrix[16];
    MPI_Datatype plain, columns;
    MPI_Type_vector(4, 1, 2, MPI_DOUBLE, &plain);
    MPI_Type_create_resized(plain, 0, TWIN(2, 1) * sizeof(double), &columns);
    MPI_Type_commit(&columns);
    MPI_Allgather(column, 4, MPI_DOUBLE, matrix, 1, columns, WORLD); /* WRONG */
    MPI_Type_free(&plain);
    MPI_Type_free(&columns);
}
