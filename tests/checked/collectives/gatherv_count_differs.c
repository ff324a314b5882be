/* The root expects fewer elements of rank 2 than that sends.
 *
 * ranks: 3
 * expect: collective.count | message.truncated
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine[4] = {rank}, all[12], counts[3] = {4, 4, TWIN(2, 4)}, places[3] = {0, 4, 8};
    MPI_Gatherv(mine, 4, MPI_INT, all, counts, places, MPI_INT, 0, WORLD); /* WRONG */
}
