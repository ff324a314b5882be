/* A probe of any source, then a receive of the rank that it found.
 *
 * ranks: 3
 * expect: race.probe | race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Status status;
    if (rank == 0) {
        for (int n = 1; n < size; n++) {
            MPI_Probe(TWIN(MPI_ANY_SOURCE, n), 0, WORLD, &status); /* WRONG */
            MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 0, WORLD, MPI_STATUS_IGNORE);
        }
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
    }
}
