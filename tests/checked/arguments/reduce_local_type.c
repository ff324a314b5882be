/* MPI_Reduce_local with an operation that the datatype does not have.
 *
 * ranks: 1
 * expect: argument.operation-datatype
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    float a[2] = {1, 2}, b[2] = {3, 4};
    MPI_Reduce_local(a, b, 2, MPI_FLOAT, TWIN(MPI_BXOR, MPI_SUM)); /* WRONG */
}
