/* The lists of counts of MPI_Allgatherv differ between the ranks.
 *
 * ranks: 2
 * expect: collective.count | message.truncated
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine[4] = {rank}, all[8], counts[2] = {4, rank == 0 ? TWIN(3, 4) : 4}, places[2] = {0, 4};
    MPI_Allgatherv(mine, 4, MPI_INT, all, counts, places, MPI_INT, WORLD); /* WRONG */
}
