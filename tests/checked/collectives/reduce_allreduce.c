/* One rank calls MPI_Reduce where the others call MPI_Allreduce.
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
    int mine = rank, sum;
    if (rank == TWIN(2, -1))
        MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, WORLD); /* WRONG */
    else
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, WORLD); /* WRONG */
}
