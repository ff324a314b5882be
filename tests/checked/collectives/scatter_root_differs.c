/* The root of a scatter differs on the last rank.
 *
 * ranks: 4
 * expect: collective.root
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int all[4] = {1, 2, 3, 4}, mine;
    MPI_Scatter(all, 1, MPI_INT, &mine, 1, MPI_INT, rank == TWIN(3, -1) ? 2 : 0, WORLD); /* WRONG */
}
