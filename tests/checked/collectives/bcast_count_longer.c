/* The root broadcasts more than one rank has room for.
 *
 * ranks: 3
 * expect: collective.count | message.truncated
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * bare: openmpi=hangs mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[100] = {rank};
    MPI_Bcast(values, rank == TWIN(2, -1) ? 50 : 100, MPI_INT, 0, WORLD); /* WRONG */
}
