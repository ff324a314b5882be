/* MPI_COMM_SELF in a program that has a session and never calls MPI_Init.
 *
 * ranks: 1
 * mpi: mpich
 * expect: argument.communicator
 * bare: mpich=ends
 */
#define OWN_MAIN
#include "../checked.h"

int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm own;
    int number;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://SELF", &group);
    MPI_Comm_create_from_group(group, "checked", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &own);
    MPI_Group_free(&group);
    MPI_Comm_rank(TWIN(MPI_COMM_SELF, own), &number); /* WRONG */
    MPI_Comm_free(&own);
    MPI_Session_finalize(&session);
    return 0;
}
