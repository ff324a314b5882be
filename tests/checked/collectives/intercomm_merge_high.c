/* Two ranks of one group disagree about high.
 *
 * ranks: 4
 * expect: collective.argument
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm half, both, one;
    int local;
    MPI_Comm_split(WORLD, rank / 2, rank, &half);
    MPI_Comm_rank(half, &local);
    MPI_Intercomm_create(half, 0, WORLD, rank < 2 ? 2 : 0, 9, &both);
    MPI_Intercomm_merge(both, TWIN(local, rank / 2), &one); /* WRONG */
    MPI_Comm_free(&one);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}
