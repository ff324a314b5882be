/* The root broadcasts floats, the others expect ints.
 *
 * ranks: 2
 * expect: collective.datatype
 * allow: argument.variable-type
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    float numbers[4] = {rank};
    MPI_Bcast(numbers, 4, rank == TWIN(0, -1) ? MPI_FLOAT : TWIN(MPI_INT, MPI_FLOAT), 0, WORLD); /* WRONG */
}
