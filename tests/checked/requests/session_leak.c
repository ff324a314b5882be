/* A session is never finalised.
 *
 * ranks: 1
 * expect: leak.session
 * mpi: mpich
 * bare: mpich=ends
 */
#define OWN_MAIN
#include "../checked.h"

int main(void)
{
    MPI_Session session;
    int sets;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session); /* WRONG */
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
#ifdef RIGHT
    MPI_Session_finalize(&session);
#endif
    return 0;
}
