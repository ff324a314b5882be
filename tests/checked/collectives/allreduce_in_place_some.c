/* MPI_IN_PLACE in a reduction to all on one rank only.
 *
 * ranks: 2
 * expect: collective.in-place
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, sum = rank;
    MPI_Allreduce(rank == TWIN(0, -1) ? MPI_IN_PLACE : &mine, &sum, 1, MPI_INT, MPI_SUM, WORLD); /* WRONG */
}
