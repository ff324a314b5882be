/* A receive with a datatype that was not committed.
 *
 * ranks: 2
 * expect: argument.datatype-uncommitted
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[4] = {rank};
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
#ifdef RIGHT
    MPI_Type_commit(&pair);
#endif
    if (rank == 1)
        MPI_Recv(values, 1, pair, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    else
        MPI_Send(values, 2, MPI_INT, 1, 0, WORLD);
    MPI_Type_free(&pair);
}
