/* Two collective operations in another order on one rank.
 *
 * ranks: 3
 * expect: collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * bare: openmpi=hangs mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank, sum;
    if (rank == TWIN(1, -1)) {
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD); /* WRONG */
        MPI_Bcast(&value, 1, MPI_INT, 0, WORLD); /* WRONG */
    } else {
        MPI_Bcast(&value, 1, MPI_INT, 0, WORLD); /* WRONG */
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD); /* WRONG */
    }
    use(&sum);
}
