/* With MPI_ERRORS_RETURN a truncated message goes unnoticed.
 *
 * ranks: 2
 * expect: error.ignored
 * allow: message.truncated
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[8] = {rank}, error = MPI_SUCCESS, class;
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    if (rank == 0)
        MPI_Send(values, 8, MPI_INT, 1, 0, WORLD);
#ifdef RIGHT
    else
        error = MPI_Recv(values, 8, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    MPI_Error_class(error, &class);
#else
    else
        MPI_Recv(values, 4, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
#endif
    (void)error, (void)class;
}
