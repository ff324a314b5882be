/* What the last rank gives is not what its own list of counts says. Some MPIs end the program for that before others have called.
 *
 * ranks: 3
 * expect: collective.count
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine[3] = {rank}, all[6], counts[3] = {1, 2, 3}, places[3] = {0, 1, 3};
#ifndef RIGHT
    if (rank == 2)
        counts[2] = 2;
#endif
    if (rank != 2)
        pause_ms(200);
    MPI_Allgatherv(mine, rank + 1, MPI_INT, all, counts, places, MPI_INT, WORLD); /* WRONG */
}
