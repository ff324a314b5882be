/* Receives that were right stop being it: between two of them the communicator gets the assertion that lengths are exact.
 *
 * ranks: 2
 * expect: argument.promise
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

enum { MOST = 16, SENT = 10 };

static void program(void)
{
    double values[MOST] = {0};
    MPI_Info info;
    MPI_Comm own;
    MPI_Comm_dup(WORLD, &own);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_exact_length", TWIN("true", "false"));
    for (int i = 0; i < 3; i++) {
        if (rank == 0)
            MPI_Send(values, SENT, MPI_DOUBLE, 1, 3, own); /* WRONG */
        else
            MPI_Recv(values, MOST, MPI_DOUBLE, 0, 3, own, MPI_STATUS_IGNORE); /* WRONG */
        use(values);
        if (i == 1)
            MPI_Comm_set_info(own, info);
    }
    MPI_Info_free(&info);
    MPI_Comm_free(&own);
}
