/* MPI_Gather on the root, MPI_Gatherv on the others.
 *
 * ranks: 3
 * expect: collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, all[3], counts[3] = {1, 1, 1}, places[3] = {0, 1, 2};
    if (rank == TWIN(0, -1))
        MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, WORLD); /* WRONG */
    else
        MPI_Gatherv(&mine, 1, MPI_INT, all, counts, places, MPI_INT, 0, WORLD); /* WRONG */
}
