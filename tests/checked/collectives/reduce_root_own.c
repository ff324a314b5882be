/* Every rank names itself the root of a reduction.
 *
 * ranks: 3
 * expect: collective.root
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, sum;
    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, TWIN(rank, 0), WORLD); /* WRONG */
}
