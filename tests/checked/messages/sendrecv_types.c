/* An exchange of ints and floats by MPI_Sendrecv.
 *
 * ranks: 2
 * expect: message.datatype
 * allow: argument.variable-type
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    float mine[2] = {rank}, theirs[2];
    MPI_Sendrecv(mine, 2, TWIN(MPI_INT, MPI_FLOAT), 1 - rank, 0, theirs, 2, MPI_FLOAT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
}
