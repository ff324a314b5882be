/* The ranks of a group name different local leaders.
 *
 * ranks: 4
 * expect: collective.argument
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm half, both;
    /* Only the leaders' other arguments count. */
    MPI_Comm_split(WORLD, rank / 2, rank, &half);
    MPI_Intercomm_create(half, rank == TWIN(1, -1) ? 1 : 0, WORLD, rank < 2 ? 2 : 0, 9, &both); /* WRONG */
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}
