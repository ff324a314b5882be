/* Two groups of an intercommunicator are in a barrier and in a reduction.
 *
 * ranks: 4
 * expect: collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * lines: all
 * bare: openmpi=ends mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm half, both;
    int mine = rank, sum;
    MPI_Comm_split(WORLD, rank / 2, rank, &half);
    MPI_Intercomm_create(half, 0, WORLD, rank < 2 ? 2 : 0, 9, &both);
    if (TWIN(rank < 2, 0))
        MPI_Barrier(both); /* WRONG */
    else
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, both); /* WRONG */
    use(&sum);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}
