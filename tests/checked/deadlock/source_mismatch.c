/* Right tag, wrong peer: the receive names a rank that does not send.
 *
 * ranks: 3
 * expect: deadlock.cycle | deadlock.ended | collective.missing
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    if (rank == 0)
        MPI_Ssend(&value, 1, MPI_INT, 1, 5, WORLD); /* WRONG */
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, TWIN(2, 0), 5, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Barrier(WORLD); /* WRONG */
}
