/* MPI_IN_PLACE as the receive buffer.
 *
 * ranks: 2
 * expect: argument.in-place
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Allreduce(TWIN(&value, MPI_IN_PLACE), TWIN(MPI_IN_PLACE, &value), 1, MPI_INT, MPI_SUM, WORLD); /* WRONG */
    use(&value);
}
