/* A rank of MPI_COMM_WORLD used in a smaller communicator.
 *
 * ranks: 4
 * expect: argument.rank
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm half;
    int value = rank;
    MPI_Comm_split(WORLD, rank / 2, rank, &half);
    if (rank % 2) {
        MPI_Request request;
        /* In its half the partner is 0, whatever it is in the world. */
        MPI_Irecv(&value, 1, MPI_INT, TWIN(rank == 3 ? 2 : 0, 0), 0, half, &request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 1, 0, half);
    }
    MPI_Comm_free(&half);
}
