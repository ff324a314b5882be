/* The attached buffer has room for one message, and three are under way.
 *
 * ranks: 2
 * expect: buffered-send.buffer
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[100] = {rank}, room = TWIN(1, 3) * (sizeof values + MPI_BSEND_OVERHEAD);
    void *buffer = malloc(room);
    MPI_Buffer_attach(buffer, room);
    if (rank == 0)
        for (int n = 0; n < 3; n++)
            MPI_Bsend(values, 100, MPI_INT, 1, n, WORLD); /* WRONG */
    MPI_Barrier(WORLD);
    if (rank == 1)
        for (int n = 0; n < 3; n++)
            MPI_Recv(values, 100, MPI_INT, 0, n, WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&buffer, &room);
    free(buffer);
}
