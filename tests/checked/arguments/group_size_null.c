/* The size of MPI_GROUP_NULL.
 *
 * ranks: 1
 * expect: argument.group
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int members;
    MPI_Group_size(TWIN(MPI_GROUP_NULL, MPI_GROUP_EMPTY), &members); /* WRONG */
}
