/* A matched probe of a rank that does not exist.
 *
 * ranks: 2
 * expect: argument.rank
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Message message;
    if (rank == 1) {
        MPI_Mprobe(TWIN(9, 0), 0, WORLD, &message, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
    }
}
