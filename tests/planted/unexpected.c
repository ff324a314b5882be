/* unexpected: messages lie there before their receives are posted, and each receive searches for its own.
 *
 * Rank 0 sends a batch with a tag for each message; rank 1 receives them afterwards in the opposite order,
 * so that the whole queue is searched each time. In the twin receives are posted beforehand, in order.
 * Nothing is stamped inside the batch.
 *
 * case: name=reversed ranks=2 quick
 * args: --count 20 --bytes 64 --batch 1500
 * expect: finding=unexpected_messages ranks=1
 * allow: wrong_order_same_source late_sender small_messages load_imbalance wait_at_barrier
 * repair: root=unexpected_messages saves=measured args=--twin
 * case: name=twin ranks=2 quick
 * args: --count 20 --bytes 64 --batch 1500 --twin
 * expect: none
 * allow: small_messages late_sender unexplained_mpi_time
 */
#include "skeleton.h"

static char *buffer;
static MPI_Request *requests;
static int batch;

static void setup(void)
{
    batch = planted_long("--batch", 1000);
    buffer = zeroed(planted.bytes * batch);
    requests = zeroed(batch * sizeof *requests);
}

static void send_all(void)
{
    for (int m = 0; m < batch; m++)
        MPI_Send(buffer, planted.bytes, MPI_BYTE, 1, m, MPI_COMM_WORLD);
}

static void step(int i)
{
    planted_work(i < 0 ? 0 : planted.work_us);
    if (planted.twin) {
        if (rank == 1)
            for (int m = 0; m < batch; m++)
                MPI_Irecv(buffer + m * planted.bytes, planted.bytes, MPI_BYTE, 0, m, MPI_COMM_WORLD, &requests[m]);
        STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
        if (rank == 0)
            send_all();
        else
            MPI_Waitall(batch, requests, MPI_STATUSES_IGNORE);
    } else {
        if (rank == 0)
            send_all();
        STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
        if (rank == 1)
            for (int m = batch - 1; m >= 0; m--)
                MPI_Recv(buffer, planted.bytes, MPI_BYTE, 0, m, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
    result += buffer[0];
}

static void finish(void)
{
    free(buffer);
    free(requests);
}
