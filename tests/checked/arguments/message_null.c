/* A message is received that no probe has found.
 *
 * ranks: 2
 * expect: argument.message
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Message message = MPI_MESSAGE_NULL;
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
    if (rank == 1) {
        MPI_Mprobe(0, 0, WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
#ifdef RIGHT
        message = MPI_MESSAGE_NO_PROC;
#endif
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE); /* WRONG */
    }
}
