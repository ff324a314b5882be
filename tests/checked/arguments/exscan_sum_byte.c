/* A sum of MPI_BYTE.
 *
 * ranks: 2
 * expect: argument.operation-datatype
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    char mine = 1, sum = 0;
    MPI_Exscan(&mine, &sum, 1, TWIN(MPI_BYTE, MPI_SIGNED_CHAR), MPI_SUM, WORLD); /* WRONG */
    use(&sum);
}
