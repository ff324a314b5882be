/* One rank takes part in an all-to-all with longs, the other with doubles.
 *
 * ranks: 2
 * expect: collective.datatype
 * allow: argument.variable-type
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double mine[2] = {1, 2}, theirs[2];
    MPI_Datatype type = rank == TWIN(0, -1) ? MPI_LONG : MPI_DOUBLE;
    MPI_Alltoall(mine, 1, type, theirs, 1, type, WORLD); /* WRONG */
}
