/* A predefined operation on a derived datatype.
 *
 * ranks: 2
 * expect: argument.operation-datatype
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine[4] = {1, 2, 3, 4}, sum[2];
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Reduce_scatter_block(mine, sum, TWIN(1, 2), TWIN(pair, MPI_INT), MPI_SUM, WORLD); /* WRONG */
    MPI_Type_free(&pair);
}
