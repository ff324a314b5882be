/* Of several buffers on their way one is read and written before the wait: who has done which, its code says. Not optimised.
 *
 * ranks: 2
 * expect: buffer.receive-read
 * expect: buffer.receive-written
 * lines: first
 * flags: -O0
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

#define SIDES 5

static void program(void)
{
    int sides[SIDES][32] = {{0}}, got = 0;
    MPI_Request requests[SIDES];
    if (rank == 0) {
        for (int i = 0; i < SIDES; i++)
            MPI_Irecv(sides[i], 32, MPI_INT, 1, i, WORLD, &requests[i]);
#ifdef RIGHT
        MPI_Barrier(WORLD);
        MPI_Waitall(SIDES, requests, MPI_STATUSES_IGNORE);
#endif
        got = sides[1][9];     /* WRONG */
        sides[1][9] = got + 1; /* WRONG */
#ifndef RIGHT
        MPI_Barrier(WORLD);
        MPI_Waitall(SIDES, requests, MPI_STATUSES_IGNORE);
#endif
        use(&got);
    } else {
        MPI_Barrier(WORLD);
        for (int i = 0; i < SIDES; i++)
            MPI_Send(sides[i], 32, MPI_INT, 0, i, WORLD);
    }
}
