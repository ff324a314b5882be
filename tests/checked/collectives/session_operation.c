/* Two processes add up with different operations, in the second communicator of a session; nobody has MPI_COMM_WORLD.
 *
 * ranks: 2
 * expect: collective.operation
 * mpi: mpich
 * bare: mpich=ends
 */
#define OWN_MAIN
#include "../checked.h"

int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int sum;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    for (int i = 0; i < 3; i++) {
        MPI_Comm_create_from_group(group, "checked", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
        MPI_Comm_rank(comm, &rank);
        MPI_Op op = TWIN(i == 1 && rank == 1 ? MPI_MAX : MPI_SUM, MPI_SUM);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, op, comm); /* WRONG */
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return 0;
}
