/* MPI_Sendrecv in a chain with partners that do not fit.
 *
 * ranks: 3
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs, right = (rank + 1) % size;
    /* Both with the right neighbour: nobody sends to the right one's left. */
    MPI_Sendrecv(&mine, 1, MPI_INT, right, 0, &theirs, 1, MPI_INT, TWIN(right, (rank + size - 1) % size), 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
}
