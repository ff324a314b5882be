/* A wildcard in an intercommunicator that two ranks of the other group fit.
 *
 * ranks: 3
 * expect: race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm part, both;
    int value = rank;
    MPI_Comm_split(WORLD, rank > 0, rank, &part);
    MPI_Intercomm_create(part, 0, WORLD, rank > 0 ? 0 : 1, 3, &both);
    if (rank == 0)
        for (int n = 0; n < 2; n++)
            MPI_Recv(&value, 1, MPI_INT, TWIN(MPI_ANY_SOURCE, n), 0, both, MPI_STATUS_IGNORE); /* WRONG */
    else
        MPI_Send(&value, 1, MPI_INT, 0, 0, both);
    MPI_Comm_free(&both);
    MPI_Comm_free(&part);
}
