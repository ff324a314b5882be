/* Both groups of an intercommunicator want to receive the broadcast.
 *
 * ranks: 2
 * expect: collective.group-roles | collective.root
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm self, both;
    int value = rank;
    MPI_Comm_split(WORLD, rank, 0, &self);
    MPI_Intercomm_create(self, 0, WORLD, 1 - rank, 3, &both);
    MPI_Bcast(&value, 1, MPI_INT, rank == 0 ? TWIN(0, MPI_ROOT) : 0, both); /* WRONG */
    MPI_Comm_free(&both);
    MPI_Comm_free(&self);
}
