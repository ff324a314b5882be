/* A halo exchange in which everyone sends to both sides first.
 *
 * ranks: 4
 * expect: deadlock.buffering
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double row[16] = {rank}, halo[2][16];
    int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    for (int step = 0; step < 3; step++) {
#ifdef RIGHT
        MPI_Sendrecv(row, 16, MPI_DOUBLE, up, 0, halo[1], 16, MPI_DOUBLE, down, 0, WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(row, 16, MPI_DOUBLE, down, 1, halo[0], 16, MPI_DOUBLE, up, 1, WORLD, MPI_STATUS_IGNORE);
#else
        MPI_Send(row, 16, MPI_DOUBLE, up, 0, WORLD); /* WRONG */
        MPI_Send(row, 16, MPI_DOUBLE, down, 1, WORLD); /* WRONG */
        MPI_Recv(halo[1], 16, MPI_DOUBLE, down, 0, WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(halo[0], 16, MPI_DOUBLE, up, 1, WORLD, MPI_STATUS_IGNORE);
#endif
    }
}
