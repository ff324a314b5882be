/* The message is sent in MPI_COMM_WORLD and awaited in a duplicate.
 *
 * ranks: 2
 * expect: deadlock.cycle | deadlock.ended
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm other;
    int value = rank;
    MPI_Comm_dup(WORLD, &other);
    if (rank == 0)
        MPI_Ssend(&value, 1, MPI_INT, 1, 0, TWIN(WORLD, other)); /* WRONG */
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Comm_free(&other);
}
