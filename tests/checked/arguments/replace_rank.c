/* MPI_Sendrecv_replace with a rank that does not exist.
 *
 * ranks: 2
 * expect: argument.rank
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Sendrecv_replace(&value, 1, MPI_INT, TWIN(rank + 2, 1 - rank), 0, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
}
