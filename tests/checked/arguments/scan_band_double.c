/* Bits of floating-point numbers combined.
 *
 * ranks: 2
 * expect: argument.operation-datatype
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    double mine = rank, all;
    MPI_Scan(&mine, &all, 1, MPI_DOUBLE, TWIN(MPI_BAND, MPI_SUM), WORLD); /* WRONG */
}
