/* The null handle is made a communicator's error handler.
 *
 * ranks: 1
 * expect: argument.error-handler
 * bare: openmpi=aborts|crashes mpich=aborts|crashes
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(WORLD, &comm);
    MPI_Errhandler handler = TWIN(MPI_ERRHANDLER_NULL, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(comm, handler); /* WRONG */
    MPI_Comm_free(&comm);
}
