/* The program sets an attribute of the MPI.
 *
 * ranks: 1
 * expect: argument.attribute-key
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *most, found, mine = 100;
    MPI_Comm_get_attr(WORLD, MPI_TAG_UB, &most, &found);
#ifdef RIGHT
    mine = *most;
#else
    MPI_Comm_set_attr(WORLD, MPI_TAG_UB, &mine); /* WRONG */
#endif
    MPI_Sendrecv(&rank, 1, MPI_INT, rank, mine, &found, 1, MPI_INT, rank, mine, WORLD, MPI_STATUS_IGNORE);
}
