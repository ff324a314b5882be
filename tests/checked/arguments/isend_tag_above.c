/* A tag above MPI_TAG_UB in a non-blocking send. Open MPI allows every int.
 *
 * ranks: 2
 * expect: argument.tag
 * mpi: mpich
 * bare: mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank, found, *most;
    MPI_Comm_get_attr(WORLD, MPI_TAG_UB, &most, &found);
    if (rank == 0) {
        MPI_Request request;
        MPI_Isend(&value, 1, MPI_INT, 1, TWIN(*most + 1, *most), WORLD, &request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, MPI_ANY_TAG, WORLD, MPI_STATUS_IGNORE);
    }
}
