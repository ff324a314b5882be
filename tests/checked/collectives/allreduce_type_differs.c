/* A reduction of floats on one rank, of ints on the others.
 *
 * ranks: 3
 * expect: collective.datatype
 * allow: argument.variable-type
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine[2] = {rank}, all[2];
    MPI_Allreduce(mine, all, 2, rank == TWIN(2, -1) ? MPI_FLOAT : MPI_INT, MPI_SUM, WORLD); /* WRONG */
}
