/* A negative colour that is not MPI_UNDEFINED.
 *
 * ranks: 2
 * expect: argument.value
 * bare: openmpi=aborts mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm half;
    MPI_Comm_split(WORLD, TWIN(rank - 10, rank), 0, &half); /* WRONG */
    MPI_Comm_free(&half);
}
