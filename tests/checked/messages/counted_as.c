/* A message of doubles is counted in elements of another datatype.
 *
 * ranks: 2
 * expect: message.counted-as
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double values[8] = {rank};
    int n;
    if (rank == 0) {
        MPI_Send(values, 5, MPI_DOUBLE, 1, 0, WORLD);
        MPI_Send(values, 6, MPI_DOUBLE, 1, 1, WORLD);
    } else {
        MPI_Request request;
        MPI_Status status;
        MPI_Recv(values, 8, MPI_DOUBLE, 0, 0, WORLD, &status); /* WRONG */
        MPI_Get_count(&status, TWIN(MPI_LONG, MPI_DOUBLE), &n); /* WRONG */
        MPI_Irecv(values, 8, MPI_DOUBLE, 0, 1, WORLD, &request);
        MPI_Wait(&request, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &n);
        MPI_Get_count(&status, MPI_BYTE, &n);
        use(&n);
    }
}
