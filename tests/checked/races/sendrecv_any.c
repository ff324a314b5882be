/* The receiving half of MPI_Sendrecv takes any source, and two ranks send.
 *
 * ranks: 3
 * expect: race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs;
    if (rank == 0) {
        MPI_Sendrecv(&mine, 1, MPI_INT, 1, 1, &theirs, 1, MPI_INT, TWIN(MPI_ANY_SOURCE, 1), 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Recv(&theirs, 1, MPI_INT, TWIN(MPI_ANY_SOURCE, 2), 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    } else {
        if (rank == 1)
            MPI_Recv(&theirs, 1, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&mine, 1, MPI_INT, 0, 0, WORLD);
    }
}
