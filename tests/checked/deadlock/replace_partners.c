/* MPI_Sendrecv_replace in a ring, with tags that do not fit.
 *
 * ranks: 3
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int value = rank, left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Sendrecv_replace(&value, 1, MPI_INT, right, 1, left, TWIN(2, 1), WORLD, MPI_STATUS_IGNORE); /* WRONG */
}
