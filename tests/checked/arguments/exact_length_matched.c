/* A matched message is received with the room of the longest one, though the communicator has the assertion that lengths are exact.
 *
 * ranks: 2
 * expect: argument.promise
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[32] = {0}, count = 0;
    MPI_Info info;
    MPI_Comm own;
    MPI_Comm_dup(WORLD, &own);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_exact_length", "true");
    MPI_Comm_set_info(own, info);
    MPI_Info_free(&info);
    if (rank == 0) {
        MPI_Send(values, 5, MPI_INT, 1, 1, own);
    } else {
        MPI_Message message;
        MPI_Status status;
        MPI_Mprobe(0, 1, own, &message, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Mrecv(values, TWIN(32, count), MPI_INT, &message, MPI_STATUS_IGNORE); /* WRONG */
    }
    use(values);
    MPI_Comm_free(&own);
}
