/* A matched probe of any source when two could be found.
 *
 * ranks: 3
 * expect: race.probe | race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int value = rank;
    MPI_Message message;
    if (rank == 0) {
        for (int n = 1; n < size; n++) {
            MPI_Mprobe(TWIN(MPI_ANY_SOURCE, n), 0, WORLD, &message, MPI_STATUS_IGNORE); /* WRONG */
            MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE); /* WRONG */
        }
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
    }
}
