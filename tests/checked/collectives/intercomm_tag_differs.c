/* The two leaders of an intercommunicator use different tags.
 *
 * ranks: 2
 * expect: collective.argument | deadlock.cycle | deadlock.collective
 * allow: collective.missing deadlock.ended
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm self, both;
    MPI_Comm_split(WORLD, rank, 0, &self);
    MPI_Intercomm_create(self, 0, WORLD, 1 - rank, TWIN(10 + rank, 10), &both); /* WRONG */
    MPI_Comm_free(&both);
    MPI_Comm_free(&self);
}
