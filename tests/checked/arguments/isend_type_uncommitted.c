/* A non-blocking send with a datatype that was not committed.
 *
 * ranks: 2
 * expect: argument.datatype-uncommitted
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[4] = {rank};
    MPI_Datatype column;
    MPI_Type_vector(2, 1, 2, MPI_INT, &column);
#ifdef RIGHT
    MPI_Type_commit(&column);
#endif
    if (rank == 0) {
        MPI_Request request;
        MPI_Isend(values, 1, column, 1, 0, WORLD, &request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(values, 2, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&column);
}
