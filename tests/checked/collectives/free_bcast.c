/* One rank frees a communicator on which the other one still broadcasts.
 *
 * ranks: 2
 * expect: collective.call
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm other;
    int value = rank;
    MPI_Comm_dup(WORLD, &other);
    if (TWIN(rank == 0, 1))
        MPI_Bcast(&value, 1, MPI_INT, 0, other); /* WRONG */
    MPI_Comm_free(&other); /* WRONG */
}
