/* A probe of any tag on a communicator that was given the promise of none.
 *
 * ranks: 2
 * expect: argument.promise
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Info info;
    MPI_Comm own;
    MPI_Status status;
    MPI_Comm_dup(WORLD, &own);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Comm_set_info(own, info);
    MPI_Info_free(&info);
    if (rank == 0) {
        MPI_Probe(1, TWIN(MPI_ANY_TAG, 5), own, &status); /* WRONG */
        MPI_Recv(&value, 1, MPI_INT, 1, status.MPI_TAG, own, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 5, own);
    }
    MPI_Comm_free(&own);
}
