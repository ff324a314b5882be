/* Three ranks are in a barrier, the fourth has left.
 *
 * ranks: 4
 * expect: collective.missing | deadlock.ended | deadlock.cycle
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    if (TWIN(rank != 2, 1))
        MPI_Barrier(WORLD); /* WRONG */
}
