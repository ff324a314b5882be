/* Six messages are awaited, and an element of each is used before the wait; not optimised.
 *
 * ranks: 2
 * expect: buffer.receive-read
 * lines: first
 * flags: -O0
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

#define SIDES 6

static void program(void)
{
    double sides[SIDES][16] = {{0}}, sum = 0;
    MPI_Request requests[SIDES];
    if (rank == 0) {
        for (int i = 0; i < SIDES; i++)
            MPI_Irecv(sides[i], 16, MPI_DOUBLE, 1, i, WORLD, &requests[i]);
        MPI_Barrier(WORLD);
#ifdef RIGHT
        MPI_Waitall(SIDES, requests, MPI_STATUSES_IGNORE);
#endif
        for (int i = 0; i < SIDES; i++)
            sum += sides[i][3]; /* WRONG */
#ifndef RIGHT
        MPI_Waitall(SIDES, requests, MPI_STATUSES_IGNORE);
#endif
        use(&sum);
    } else {
        MPI_Barrier(WORLD);
        for (int i = 0; i < SIDES; i++)
            MPI_Send(sides[i], 16, MPI_DOUBLE, 0, i, WORLD);
    }
}
