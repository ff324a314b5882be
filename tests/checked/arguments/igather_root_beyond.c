/* A non-blocking gather to a root that does not exist.
 *
 * ranks: 2
 * expect: argument.root
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, all[2];
    MPI_Request request;
    MPI_Igather(&mine, 1, MPI_INT, all, 1, MPI_INT, TWIN(99, 0), WORLD, &request); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
