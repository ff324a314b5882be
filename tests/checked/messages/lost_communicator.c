/* The message is sent in a communicator in which nobody receives.
 *
 * ranks: 2
 * expect: message.lost
 * allow: deadlock.buffering
 * not: wheel-mpich wheel-abi
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm other;
    int value = rank, there = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_dup(WORLD, &other);
    if (rank == 0)
        MPI_Isend(&value, 1, MPI_INT, 1, 0, other, &request); /* WRONG */
    MPI_Barrier(WORLD);
    if (rank == 1) {
        for (int n = 0; n < 50 && !there; n++) {
            MPI_Iprobe(0, 0, TWIN(WORLD, other), &there, MPI_STATUS_IGNORE);
            work_ms(2);
        }
#ifdef RIGHT
        MPI_Recv(&value, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
#endif
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(WORLD);
    MPI_Comm_free(&other);
}
