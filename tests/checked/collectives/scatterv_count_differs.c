/* A rank expects more of a scatter than the root sends to it.
 *
 * ranks: 3
 * expect: collective.count
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int all[6] = {1, 2, 3, 4, 5, 6}, mine[4], counts[3] = {2, 2, 2}, places[3] = {0, 2, 4};
    MPI_Scatterv(all, counts, places, MPI_INT, mine, rank == TWIN(1, -1) ? 4 : 2, MPI_INT, 0, WORLD); /* WRONG */
}
