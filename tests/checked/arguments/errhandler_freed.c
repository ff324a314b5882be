/* An error handler is set after it was freed; where it was set before, it stays.
 *
 * ranks: 1
 * expect: argument.error-handler
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void ignore(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

static void program(void)
{
    MPI_Errhandler handler, copy;
    MPI_Comm other;
    MPI_Comm_create_errhandler(ignore, &handler);
    copy = handler;
    MPI_Comm_dup(WORLD, &other);
    MPI_Comm_set_errhandler(WORLD, handler);
#ifdef RIGHT
    MPI_Comm_set_errhandler(other, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_get_errhandler(WORLD, &copy);
    MPI_Errhandler_free(&copy);
#else
    MPI_Errhandler_free(&handler);
    MPI_Comm_set_errhandler(other, copy); /* WRONG */
#endif
    MPI_Comm_free(&other);
}
