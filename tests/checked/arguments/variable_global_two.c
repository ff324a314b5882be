/* Two numbers are received into one variable.
 *
 * ranks: 2
 * expect: argument.variable-short
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static struct { int before[4]; } guard;
static int limit;
static int behind[4];

static void program(void)
{
    int both[2] = {7, 8};
    if (rank == 0)
        MPI_Send(both, TWIN(2, 1), MPI_INT, 1, 0, WORLD);
    else
        MPI_Recv(&limit, TWIN(2, 1), MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    use(&guard);
    use(behind);
    use(&limit);
}
