/* A rank contributes more to an allgather than the others expect.
 *
 * ranks: 2
 * expect: collective.count | message.truncated
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine[4] = {rank}, all[8];
    int count = rank == TWIN(1, -1) ? 4 : 2;
    MPI_Allgather(mine, count, MPI_INT, all, 2, MPI_INT, WORLD); /* WRONG */
}
