/* A broadcast from and to a null pointer.
 *
 * ranks: 2
 * expect: argument.buffer-null
 * bare: openmpi=crashes mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Bcast(TWIN(NULL, &value), 1, MPI_INT, 0, WORLD); /* WRONG */
    use(&value);
}
