/* A derived datatype of a negative number of blocks.
 *
 * ranks: 2
 * expect: argument.count
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Datatype column;
    MPI_Type_vector(TWIN(-4, 4), 1, 4, MPI_INT, &column); /* WRONG */
    MPI_Type_free(&column);
}
