/* A receive of any source on a communicator whose info says that there are none.
 *
 * ranks: 3
 * expect: argument.promise
 * allow-both: race.receive
 * bare: openmpi=hangs mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank, sum = 0;
    MPI_Info info;
    MPI_Comm own;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_source", TWIN("true", "false"));
    MPI_Comm_dup_with_info(WORLD, info, &own);
    MPI_Info_free(&info);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, own, MPI_STATUS_IGNORE); /* WRONG */
            sum += value;
        }
        use(&sum);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, own);
    }
    MPI_Comm_free(&own);
}
