/* MPI_Pack with a datatype that was not committed.
 *
 * ranks: 1
 * expect: argument.datatype-uncommitted
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[4] = {1, 2, 3, 4}, at = 0;
    char packed[64];
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
#ifdef RIGHT
    MPI_Type_commit(&pair);
#endif
    MPI_Pack(values, 2, pair, packed, sizeof packed, &at, WORLD); /* WRONG */
    MPI_Type_free(&pair);
}
