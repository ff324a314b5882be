/* The remote size asked of an intracommunicator.
 *
 * ranks: 2
 * expect: argument.communicator
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm self, both;
    int there;
    MPI_Comm_split(WORLD, rank, 0, &self);
    MPI_Intercomm_create(self, 0, WORLD, 1 - rank, 1, &both);
    MPI_Comm_remote_size(TWIN(self, both), &there); /* WRONG */
    MPI_Comm_free(&both);
    MPI_Comm_free(&self);
}
