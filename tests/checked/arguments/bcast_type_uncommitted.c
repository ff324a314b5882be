/* A broadcast with a datatype that was not committed, on all ranks.
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
    MPI_Type_contiguous(4, MPI_INT, &pair);
#ifdef RIGHT
    MPI_Type_commit(&pair);
#endif
    MPI_Bcast(values, 1, pair, 0, WORLD); /* WRONG */
    MPI_Type_free(&pair);
}
