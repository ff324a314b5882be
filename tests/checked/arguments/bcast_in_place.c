/* MPI_IN_PLACE as the buffer of a broadcast.
 *
 * ranks: 2
 * expect: argument.in-place
 * bare: openmpi=aborts mpich=crashes
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Bcast(TWIN(MPI_IN_PLACE, &value), 1, MPI_INT, 0, WORLD); /* WRONG */
    use(&value);
}
