/* A scan on one rank, an exclusive scan on the other.
 *
 * ranks: 2
 * expect: collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, sum = 0;
#ifdef RIGHT
    MPI_Scan(&mine, &sum, 1, MPI_INT, MPI_SUM, WORLD);
#else
    if (rank == 0)
        MPI_Scan(&mine, &sum, 1, MPI_INT, MPI_SUM, WORLD); /* WRONG */
    else
        MPI_Exscan(&mine, &sum, 1, MPI_INT, MPI_SUM, WORLD); /* WRONG */
#endif
    use(&sum);
}
