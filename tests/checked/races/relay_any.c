/* A message and one that it caused at another rank; with an answer in between only one can be there.
 *
 * ranks: 3
 * expect: race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    /* 1 sends to 0 and to 2, then 2 sends to 0. Right: 2 sends after 0 has confirmed the first. */
    int value = rank;
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
#ifdef RIGHT
        MPI_Send(&value, 1, MPI_INT, 2, 1, WORLD);
#endif
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    } else if (rank == 1) {
        MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
#ifndef RIGHT
        MPI_Send(&value, 1, MPI_INT, 2, 1, WORLD);
#endif
    } else {
        MPI_Recv(&value, 1, MPI_INT, TWIN(1, 0), 1, WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
    }
}
