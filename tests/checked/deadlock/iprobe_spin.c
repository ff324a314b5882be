/* A rank asks for a message in a loop; the message has another tag, and its sender waits for the answer.
 *
 * ranks: 2
 * expect: deadlock.polling
 * allow: deadlock.buffering
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, theirs, there = 0;
    if (rank == 0) {
        while (!there)
            MPI_Iprobe(1, TWIN(8, 7), WORLD, &there, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Recv(&theirs, 1, MPI_INT, 1, 7, WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&mine, 1, MPI_INT, 1, 9, WORLD);
    } else {
        MPI_Send(&mine, 1, MPI_INT, 0, 7, WORLD);
        MPI_Recv(&theirs, 1, MPI_INT, 0, 9, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    }
}
