/* Different operations in a scan.
 *
 * ranks: 2
 * expect: collective.operation
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double mine = rank, sum;
    MPI_Scan(&mine, &sum, 1, MPI_DOUBLE, rank == TWIN(0, -1) ? MPI_MAX : MPI_SUM, WORLD); /* WRONG */
}
