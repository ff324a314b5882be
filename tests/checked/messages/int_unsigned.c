/* Signed and unsigned are different datatypes.
 *
 * ranks: 2
 * expect: message.datatype
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    unsigned values[4] = {rank};
    if (rank == 0)
        MPI_Ssend(values, 4, TWIN(MPI_INT, MPI_UNSIGNED), 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(values, 4, MPI_UNSIGNED, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
}
