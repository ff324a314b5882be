/* The send half of MPI_Sendrecv has a negative tag.
 *
 * ranks: 2
 * expect: argument.tag
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
    MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, TWIN(-1000, 4), &theirs, 1, MPI_INT, 1 - rank, 4, WORLD, MPI_STATUS_IGNORE); /* WRONG */
}
