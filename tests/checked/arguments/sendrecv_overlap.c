/* Send and receive buffer of MPI_Sendrecv share an element.
 *
 * ranks: 2
 * expect: argument.buffers-overlap
 * bare: openmpi=ends|aborts mpich=ends|aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[8] = {rank};
    MPI_Sendrecv(values, 4, MPI_INT, 1 - rank, 0, values + TWIN(3, 4), 4, MPI_INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
}
