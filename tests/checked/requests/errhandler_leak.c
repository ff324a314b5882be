/* An error handler is never freed.
 *
 * ranks: 2
 * expect: leak.error-handler
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void note(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    fprintf(stderr, "error %d\n", *code);
}

static void program(void)
{
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(note, &handler); /* WRONG */
    MPI_Comm_set_errhandler(WORLD, handler);
    MPI_Barrier(WORLD);
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
#ifdef RIGHT
    MPI_Errhandler_free(&handler);
#endif
}
