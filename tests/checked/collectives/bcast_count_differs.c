/* The root broadcasts fewer elements than the others expect.
 *
 * ranks: 2
 * expect: collective.count
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[100] = {rank};
    MPI_Bcast(values, rank == 0 ? TWIN(60, 100) : 100, MPI_INT, 0, WORLD); /* WRONG */
}
