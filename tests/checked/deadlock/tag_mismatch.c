/* Right peer, wrong tag.
 *
 * ranks: 2
 * expect: deadlock.cycle | deadlock.ended
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 0)
        MPI_Ssend(&value, 1, MPI_INT, 1, 42, WORLD); /* WRONG */
    else
        MPI_Recv(&value, 1, MPI_INT, 0, TWIN(24, 42), WORLD, MPI_STATUS_IGNORE); /* WRONG */
}
