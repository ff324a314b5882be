/* The pieces of two processes land on the same place at the root.
 *
 * ranks: 3
 * expect: argument.receive-overlap
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    short mine[3] = {rank, rank, rank}, all[12];
    int counts[3] = {3, 0, 3}, places[3] = {4, 5, TWIN(6, 1)};
    if (rank == 2)
        MPI_Gatherv(mine, 3, MPI_SHORT, all, counts, places, MPI_SHORT, 2, WORLD); /* WRONG */
    else
        MPI_Gatherv(mine, rank == 1 ? 0 : 3, MPI_SHORT, NULL, NULL, NULL, MPI_SHORT, 2, WORLD);
}
