/* Two ranks name different roots of a broadcast.
 *
 * ranks: 3
 * expect: collective.root
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Bcast(&value, 1, MPI_INT, rank == TWIN(1, -1) ? 1 : 0, WORLD); /* WRONG */
}
