/* An order of an array that is neither C's nor Fortran's.
 *
 * ranks: 1
 * expect: argument.value
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Datatype block;
    int sizes[2] = {8, 8}, parts[2] = {4, 4}, starts[2] = {0, 4};
    MPI_Type_create_subarray(2, sizes, parts, starts, TWIN(1000, MPI_ORDER_FORTRAN), MPI_INT, &block); /* WRONG */
    MPI_Type_free(&block);
}
