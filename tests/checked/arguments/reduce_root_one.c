/* The last rank alone names a root that does not exist.
 *
 * ranks: 3
 * expect: argument.root
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * mpi: mpich
 * bare: mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    double mine = rank, sum = 0;
    int root = rank == size - 1 ? TWIN(size, 0) : 0;
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, root, WORLD); /* WRONG */
}
