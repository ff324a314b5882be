/* A rank takes a branch without the broadcast that the others are in.
 *
 * ranks: 4
 * expect: collective.call
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double step = 0.1, limit = 1;
    if (TWIN(rank < 3, 1))
        MPI_Bcast(&step, 1, MPI_DOUBLE, 0, WORLD); /* WRONG */
    MPI_Allreduce(MPI_IN_PLACE, &limit, 1, MPI_DOUBLE, MPI_MIN, WORLD); /* WRONG */
#ifndef RIGHT
    if (rank == 3)
        MPI_Bcast(&step, 1, MPI_DOUBLE, 0, WORLD); /* WRONG */
#endif
}
