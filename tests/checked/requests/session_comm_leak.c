/* A communicator of a session is not freed before the session is finalised.
 *
 * ranks: 2
 * mpi: mpich
 * expect: leak.communicator
 * bare: mpich=ends
 */
#define OWN_MAIN
#include "../checked.h"

int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm all;
    int one = 1, sum;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "checked", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all); /* WRONG */
    MPI_Group_free(&group);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
#ifdef RIGHT
    MPI_Comm_free(&all);
#endif
    MPI_Session_finalize(&session);
    return 0;
}
