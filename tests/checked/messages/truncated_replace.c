/* MPI_Sendrecv_replace for less than the other rank sends.
 *
 * ranks: 2
 * expect: message.truncated
 * bare: openmpi=crashes mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[4] = {rank};
    MPI_Sendrecv_replace(values, rank == TWIN(0, -1) ? 2 : 4, MPI_INT, 1 - rank, 0, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
}
