/* weakref: asks by weak reference whether the MPI library has functions newer than 3.1.
 *
 *   weakref
 *
 * Prints, for MPI_Recv_c and MPI_Session_init, "absent" or "present" and then uses what
 * is present. Portable programs (and mpi4py) decide this way, so that a tool which
 * exports names that the library beneath does not have breaks them. Expected: absent in
 * Open MPI 4, present in MPICH 4; the same with a tool and without it.
 *
 * Ends with OK when what is present works. The functions are declared here because the
 * header may not have them: MPI_Count and MPI_Session as their sizes demand. */
#include "common.h"

/* Not through mpi.h: with `weak` an absent function is a null address, not a link error. */
#if MPI_VERSION >= 4
#pragma weak MPI_Recv_c
#pragma weak MPI_Session_init
#pragma weak MPI_Session_finalize
#else
typedef void *MPI_Session; /* wide enough for a handle of either kind */
int MPI_Recv_c(void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status *) __attribute__((weak));
int MPI_Session_init(MPI_Info, MPI_Errhandler, MPI_Session *) __attribute__((weak));
int MPI_Session_finalize(MPI_Session *) __attribute__((weak));
#endif

int main(int argc, char **argv)
{
    /* volatile: a compiler that knows a strong declaration may assume it is not null */
    int (*volatile recv_c)(void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status *) = MPI_Recv_c;
    int (*volatile session_init)(MPI_Info, MPI_Errhandler, MPI_Session *) = MPI_Session_init;
    int (*volatile session_finalize)(MPI_Session *) = MPI_Session_finalize;

    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* Asked a second time after MPI_Init, by which time a tool knows the library. */
    CHECK((recv_c == NULL) == ((void *volatile)MPI_Recv_c == NULL));
    if (recv_c) {
        int out = 42 + rank, in = 0;
        MPI_Request request;
        MPI_Isend(&out, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &request);
        CHECK(recv_c(&in, 1, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(in == out);
    }
    if (session_init && session_finalize) {
        MPI_Session session;
        CHECK(session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
        CHECK(session_finalize(&session) == MPI_SUCCESS);
    }
    if (rank == 0)
        printf("weakref MPI_Recv_c %s MPI_Session_init %s %s\n", recv_c ? "present" : "absent",
               session_init ? "present" : "absent", check_failures ? "FAILED" : "OK");
    MPI_Finalize();
    return check_failures != 0;
}
