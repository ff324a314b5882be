/* A sum on one rank, a maximum on the others.
 *
 * ranks: 3
 * expect: collective.operation
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, all;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, rank == TWIN(1, -1) ? MPI_SUM : MPI_MAX, WORLD); /* WRONG */
}
