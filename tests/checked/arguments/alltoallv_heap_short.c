/* The send buffer of MPI_Alltoallv was allocated for smaller elements: the pieces for the later ranks lie behind it.
 *
 * ranks: 3
 * expect: argument.buffer-short
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int counts[3] = {20, 20, 20}, places[3] = {0, 20, 40};
    double *mine = calloc(60, TWIN(sizeof(float), sizeof(double))), all[60];
    MPI_Alltoallv(mine, counts, places, MPI_DOUBLE, all, counts, places, MPI_DOUBLE, WORLD); /* WRONG */
    free(mine);
}
