/* An error handler of windows is set for a communicator.
 *
 * ranks: 1
 * expect: argument.error-handler
 * bare: openmpi=aborts mpich=ends
 */
#include "../checked.h"

static void of_window(MPI_Win *window, int *code, ...)
{
    (void)window;
    (void)code;
}

static void of_comm(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

static void program(void)
{
    MPI_Errhandler window, comm;
    MPI_Win_create_errhandler(of_window, &window);
    MPI_Comm_create_errhandler(of_comm, &comm);
    MPI_Comm_set_errhandler(WORLD, TWIN(window, comm)); /* WRONG */
    MPI_Errhandler_free(&window);
    MPI_Errhandler_free(&comm);
}
