/* MPI_STATUS_IGNORE where a status is read.
 *
 * ranks: 2
 * expect: argument.null-pointer
 * bare: openmpi=crashes mpich=crashes wheel-abi=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[10] = {rank}, count = 0;
    MPI_Status status;
    if (rank == 1) {
        MPI_Recv(values, 10, MPI_INT, 0, 0, WORLD, &status);
        MPI_Get_count(TWIN(MPI_STATUS_IGNORE, &status), MPI_INT, &count); /* WRONG */
        use(&count);
    } else {
        MPI_Send(values, 5, MPI_INT, 1, 0, WORLD);
    }
}
