/* The root of MPI_Gatherv expects another type of one rank than that sends.
 *
 * ranks: 3
 * expect: collective.datatype
 * allow: argument.variable-type
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, all[3], counts[3] = {1, 1, 1}, places[3] = {0, 1, 2};
    MPI_Gatherv(&mine, 1, rank == TWIN(2, -1) ? MPI_FLOAT : MPI_INT, all, counts, places, MPI_INT, 0, WORLD); /* WRONG */
}
