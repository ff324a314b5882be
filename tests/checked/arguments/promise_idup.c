/* A probe of any tag on a communicator that was made with the promise not to ask so, and without waiting for it at once.
 *
 * ranks: 2
 * expect: argument.promise
 * mpi: mpich
 * bare: mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Info info;
    MPI_Comm own;
    MPI_Request request;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", TWIN("true", "false"));
    MPI_Comm_idup_with_info(WORLD, info, &own, &request);
    MPI_Info_free(&info);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 6, own);
    else
        MPI_Recv(&value, 1, MPI_INT, 0, MPI_ANY_TAG, own, MPI_STATUS_IGNORE); /* WRONG */
    use(&value);
    MPI_Comm_free(&own);
}
