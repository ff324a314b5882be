/* One of the counts of MPI_Allgatherv is negative.
 *
 * ranks: 2
 * expect: argument.count
 * bare: openmpi=crashes mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, all[2], counts[2] = {1, TWIN(-1, 1)}, places[2] = {0, 1};
    MPI_Allgatherv(&mine, 1, MPI_INT, all, counts, places, MPI_INT, WORLD); /* WRONG */
}
