/* A receive with more room than its message has, on a communicator whose info says that lengths are exact.
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
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_exact_length", "true");
    MPI_Comm_dup_with_info(WORLD, info, &own);
    MPI_Info_free(&info);
    if (rank == 0)
        MPI_Send(values, SENT, MPI_DOUBLE, 1, 3, own); /* WRONG */
    else
        MPI_Recv(values, TWIN(MOST, SENT), MPI_DOUBLE, 0, 3, own, MPI_STATUS_IGNORE); /* WRONG */
    use(values);
    MPI_Comm_free(&own);
}
