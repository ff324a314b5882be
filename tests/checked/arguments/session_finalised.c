/* A session is asked after it was finalised.
 *
 * ranks: 1
 * mpi: mpich
 * expect: argument.session
 * bare: mpich=aborts
 */
#define OWN_MAIN
#include "../checked.h"

int main(void)
{
    MPI_Session session, copy;
    int sets;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    copy = session;
#ifdef RIGHT
    MPI_Session_get_num_psets(copy, MPI_INFO_NULL, &sets);
#endif
    MPI_Session_finalize(&session);
#ifndef RIGHT
    MPI_Session_get_num_psets(copy, MPI_INFO_NULL, &sets); /* WRONG */
#endif
    return 0;
}
