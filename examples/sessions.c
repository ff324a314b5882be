/* sessions: the MPI-4 way to begin, without MPI_Init.
 *
 *   sessions [--reopen]
 *
 * Opens a session, lists its process sets, makes a communicator from mpi://WORLD, adds
 * up the ranks, and closes it; twice, inside a session that stays open. With --reopen
 * there is no such outer session, so that MPI ends and begins again between the two:
 * allowed by MPI-4, but MPICH 4.0 crashes in the second MPI_Session_init.
 * Without MPI-4 it says so and ends with OK.
 *
 * Shows: a program whose first call is not MPI_Init and whose last is not MPI_Finalize. */
#include "common.h"

#if MPI_VERSION >= 4
static void once(int round, int *rank)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int sets, size, sum = 0, found = 0;
    CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session) == MPI_SUCCESS);
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
    for (int i = 0; i < sets; i++) {
        char name[256];
        int len = sizeof name;
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &len, name);
        found |= strcmp(name, "mpi://WORLD") == 0;
    }
    CHECK(found);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "mpiscope.examples.sessions", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, rank);
    MPI_Comm_size(comm, &size);
    int part = *rank + round;
    MPI_Allreduce(&part, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == size * (size - 1) / 2 + round * size);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

int main(int argc, char **argv)
{
    int rank = 0, reopen = opt_flag(argc, argv, "--reopen");
    MPI_Session outer;
    if (!reopen)
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &outer);
    for (int round = 0; round < 2; round++)
        once(round, &rank);
    if (!reopen)
        MPI_Session_finalize(&outer);
    if (rank == 0)
        printf("sessions %s\n", check_failures ? "FAILED" : "OK");
    return check_failures != 0;
}
#else
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("sessions: this is MPI %d.%d, which has none OK\n", MPI_VERSION, MPI_SUBVERSION);
    MPI_Finalize();
    return 0;
}
#endif
