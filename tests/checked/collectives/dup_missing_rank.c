/* Only the ranks that want a duplicate make one; the other one reduces meanwhile.
 *
 * ranks: 3
 * expect: collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * lines: all
 * bare: openmpi=hangs mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm mine = MPI_COMM_NULL;
    int sum;
    if (TWIN(rank > 0, 1))
        MPI_Comm_dup(WORLD, &mine); /* WRONG */
#ifndef RIGHT
    else
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD); /* WRONG */
#endif
    use(&sum);
    if (mine != MPI_COMM_NULL)
        MPI_Comm_free(&mine);
}
