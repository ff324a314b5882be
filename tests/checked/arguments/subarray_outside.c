/* A subarray that ends outside of its array.
 *
 * ranks: 1
 * expect: argument.value
 * bare: openmpi=aborts mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Datatype block;
    int sizes[2] = {8, 8}, parts[2] = {4, 4}, starts[2] = {0, TWIN(5, 4)};
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &block); /* WRONG */
    MPI_Type_free(&block);
}
