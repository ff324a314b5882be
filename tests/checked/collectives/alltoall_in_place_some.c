/* MPI_IN_PLACE in an all-to-all on one rank only.
 *
 * ranks: 2
 * expect: collective.in-place
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine[2] = {rank, rank}, theirs[2] = {rank, rank};
    if (rank == TWIN(0, -1))
        MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, theirs, 1, MPI_INT, WORLD); /* WRONG */
    else
        MPI_Alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, WORLD); /* WRONG */
}
