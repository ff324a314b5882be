/* One pair of MPI_Alltoallw sends floats and expects ints.
 *
 * ranks: 2
 * expect: collective.datatype
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine[2] = {rank}, theirs[2], counts[2] = {1, 1}, places[2] = {0, 4};
    MPI_Datatype send[2] = {MPI_INT, rank == 0 ? TWIN(MPI_FLOAT, MPI_INT) : MPI_INT}, receive[2] = {MPI_INT, MPI_INT};
    MPI_Alltoallw(mine, counts, places, send, theirs, counts, places, receive, WORLD); /* WRONG */
}
