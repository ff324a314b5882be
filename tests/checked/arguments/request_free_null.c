/* MPI_Request_free of MPI_REQUEST_NULL.
 *
 * ranks: 2
 * expect: argument.request
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Request request = MPI_REQUEST_NULL;
#ifdef RIGHT
    MPI_Recv_init(&value, 1, MPI_INT, 1 - rank, 0, WORLD, &request);
#endif
    MPI_Request_free(&request); /* WRONG */
    use(&value);
}
