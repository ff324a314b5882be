/* MPI_IN_PLACE as the receive buffer of a non-blocking all-to-all.
 *
 * ranks: 2
 * expect: argument.in-place
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[2] = {rank, rank};
    MPI_Request request;
    MPI_Ialltoall(TWIN(values, MPI_IN_PLACE), 1, MPI_INT, TWIN(MPI_IN_PLACE, values), 1, MPI_INT, WORLD, &request); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(values);
}
