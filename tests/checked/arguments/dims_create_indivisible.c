/* The dimensions given do not divide the number of nodes.
 *
 * ranks: 1
 * expect: argument.value
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int dims[2] = {TWIN(4, 3), 0};
    MPI_Dims_create(6, 2, dims); /* WRONG */
}
