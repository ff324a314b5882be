/* A column is received as a row: the same signature, or another one.
 *
 * ranks: 2
 * expect: message.datatype
 * allow: argument.variable-type
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double field[16] = {rank};
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    if (rank == 0)
        MPI_Send(field, 1, column, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(field, 4, TWIN(MPI_LONG_LONG, MPI_DOUBLE), 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Type_free(&column);
}
