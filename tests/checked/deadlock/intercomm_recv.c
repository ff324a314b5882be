/* Ranks of two groups wait for each other in an intercommunicator.
 *
 * ranks: 2
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm self, both;
    int mine = rank, theirs;
    MPI_Comm_split(WORLD, rank, 0, &self);
    MPI_Intercomm_create(self, 0, WORLD, 1 - rank, 1, &both);
#ifdef RIGHT
    MPI_Sendrecv(&mine, 1, MPI_INT, 0, 0, &theirs, 1, MPI_INT, 0, 0, both, MPI_STATUS_IGNORE);
#else
    MPI_Recv(&theirs, 1, MPI_INT, 0, 0, both, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Send(&mine, 1, MPI_INT, 0, 0, both);
#endif
    MPI_Comm_free(&both);
    MPI_Comm_free(&self);
}
