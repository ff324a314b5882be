/* A message is received into memory that is attached for buffered sends.
 *
 * ranks: 2
 * expect: buffered-send.in-use
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    static double room[4096];
    double value = rank;
    int bytes = sizeof room / 2;
    void *old;
    MPI_Buffer_attach(room, bytes);
    if (rank == 0)
        MPI_Bsend(&value, 1, MPI_DOUBLE, 1, 0, WORLD);
    else
        MPI_Recv(room + TWIN(2047, 2048), 1, MPI_DOUBLE, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Buffer_detach(&old, &bytes);
}
