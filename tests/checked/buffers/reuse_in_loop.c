/* A loop packs its next message into the buffer of the last one.
 *
 * ranks: 2
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[2][64] = {{rank}}, there[64];
    MPI_Request requests[2];
    if (rank == 0) {
        for (int step = 0; step < 2; step++) {
            int *room = values[TWIN(0, step)];
            for (int i = 0; i < 64; i++)
                room[i] = step + i;
            use(room);
            MPI_Issend(room, 64, MPI_INT, 1, step, WORLD, &requests[step]); /* WRONG */
        }
        MPI_Barrier(WORLD);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* WRONG */
    } else {
        MPI_Barrier(WORLD);
        for (int step = 0; step < 2; step++)
            MPI_Recv(there, 64, MPI_INT, 0, step, WORLD, MPI_STATUS_IGNORE);
    }
}
