/* One element of what is being received is loaded by its index; not optimised.
 *
 * ranks: 2
 * expect: buffer.receive-read
 * lines: first
 * flags: -O0
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double values[300] = {0}, one;
    int at = TWIN(97, 297) + size;
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(values, 297, MPI_DOUBLE, 1, 0, WORLD, &request);
        one = values[at]; /* WRONG */
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        use(&one);
    } else {
        MPI_Barrier(WORLD);
        MPI_Send(values, 297, MPI_DOUBLE, 0, 0, WORLD);
    }
}
