/* Send and receive buffer of an all-to-all overlap by one element.
 *
 * ranks: 2
 * expect: argument.buffers-overlap
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[4] = {rank, rank};
    MPI_Alltoall(values, 1, MPI_INT, values + TWIN(1, 2), 1, MPI_INT, WORLD); /* WRONG */
    use(values);
}
