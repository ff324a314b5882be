/* The request that flushes the buffer of a session is waited for before the other side can receive what is in it.
 *
 * ranks: 2
 * expect: deadlock.cycle
 * lines: all
 * mpi: wheel-mpich wheel-abi
 * bare: wheel-mpich=hangs wheel-abi=hangs
 */
#define OWN_MAIN
#include "../checked.h"

#define N (1 << 20)

static MPI_Comm made(MPI_Session session, const char *name)
{
    MPI_Group group;
    MPI_Comm comm;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

int main(void)
{
    static int values[N];
    int room = sizeof values + MPI_BSEND_OVERHEAD, go = 1;
    void *buffer = malloc(room);
    MPI_Session session;
    MPI_Request request;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Comm own = made(session, "own"), other = made(session, "other");
    MPI_Comm_rank(own, &rank);
    stamp();
    if (rank == 0) {
        MPI_Session_attach_buffer(session, buffer, room);
        MPI_Bsend(values, N, MPI_INT, 1, 0, own);
        MPI_Session_iflush_buffer(session, &request);
        TWIN(, MPI_Send(&go, 1, MPI_INT, 1, 1, other));
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
        TWIN(MPI_Send(&go, 1, MPI_INT, 1, 1, other), );
        MPI_Session_detach_buffer(session, &buffer, &room);
    } else {
        MPI_Recv(&go, 1, MPI_INT, 0, 1, other, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Recv(values, N, MPI_INT, 0, 0, own, MPI_STATUS_IGNORE);
    }
    free(buffer);
    MPI_Comm_free(&own);
    MPI_Comm_free(&other);
    MPI_Session_finalize(&session);
    return 0;
}
