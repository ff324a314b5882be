/* A send that nobody receives, and its request freed; in its right twin it is cancelled before.
 *
 * ranks: 1
 * expect: message.lost
 * allow: request.freed-unconfirmed
 * lines: any
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int sent = 1, got = 0, done = 0, cancelled = 0;
    MPI_Request request;
    MPI_Status status;
    for (int step = 0; step < 3; step++) {
#ifndef RIGHT
        MPI_Isend(&sent, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &request); /* WRONG */
        MPI_Request_free(&request);
#else
        MPI_Issend(&sent, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &request);
        MPI_Cancel(&request);
        MPI_Request_get_status(request, &done, &status);
        if (done)
            MPI_Test_cancelled(&status, &cancelled);
        if (done && cancelled) {
            MPI_Request_free(&request);
        } else {
            MPI_Recv(&got, 1, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        /* Cancelled, and nobody asks whether it was. */
        MPI_Irecv(&got, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &request);
        MPI_Cancel(&request);
        if (step)
            MPI_Request_free(&request);
        else
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&sent, 1, MPI_INT, 0, 7, &got, 1, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
#endif
    }
    (void)status, (void)done, (void)cancelled, (void)got;
}
