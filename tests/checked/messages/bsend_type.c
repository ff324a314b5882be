/* A buffered send of doubles for a receive of longs.
 *
 * ranks: 2
 * expect: message.datatype
 * allow: argument.variable-type
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double value = rank;
    int room = sizeof(double) + MPI_BSEND_OVERHEAD;
    void *buffer = malloc(room);
    MPI_Buffer_attach(buffer, room);
    if (rank == 0)
        MPI_Bsend(&value, 1, MPI_DOUBLE, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(&value, 1, TWIN(MPI_LONG, MPI_DOUBLE), 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Buffer_detach(&buffer, &room);
    free(buffer);
}
