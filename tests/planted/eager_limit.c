/* eager_limit: messages above the MPI's eager limit, between ranks that are late by turns.
 *
 * Rank 0 sends in each step, rank 1 receives; in every second step rank 0 works longer, in the others rank 1 does. A send
 * that waits for its receiver costs what rank 0 could have been ahead. Advised is what helps with the MPI at hand. MPICH over
 * UCX: a higher eager limit, UCX_RNDV_THRESH, which --repaired sets. Open MPI keeps messages between ranks of one host
 * whatever its limit (variant limit sets it, and saves nothing): --repaired sends with MPI_Isend and completes a step later.
 *
 * case: name=mpich ranks=2 mpi=mpich
 * args: --bytes 100000 --delay-us 6000 --count 40
 * expect: finding=late_receiver ranks=0 cause=1 function=MPI_Send seconds=planted tolerance=5%
 * allow: load_imbalance late_sender
 * repair: root=late_receiver|load_imbalance saves=measured args="--variant limit"
 * case: name=openmpi ranks=2 mpi=openmpi
 * args: --bytes 100000 --delay-us 6000 --count 40
 * expect: finding=late_receiver ranks=0 cause=1 function=MPI_Send seconds=planted tolerance=5%
 * allow: load_imbalance late_sender
 * repair: root=late_receiver|load_imbalance saves=measured
 * case: name=twin ranks=2
 * args: --bytes 100000 --delay-us 6000 --count 40 --twin
 * expect: none
 */
#define _GNU_SOURCE
#include "skeleton.h"

enum { BUFFERS = 2 };
static char *buffers[BUFFERS];
static MPI_Request sent = MPI_REQUEST_NULL;

/* Before MPI_Init. */
__attribute__((constructor)) static void set_limit(int count, char **words)
{
    for (int n = 1; n < count; n++)
        if (strcmp(words[n], "--repaired") == 0 || strcmp(words[n], "limit") == 0) {
            setenv("UCX_RNDV_THRESH", "100352", 1);
            setenv("OMPI_MCA_btl_vader_eager_limit", "100352", 1);
        }
}

static void setup(void)
{
    for (int n = 0; n < BUFFERS; n++)
        buffers[n] = zeroed(planted.bytes);
}

static void complete(void)
{
    STAMP(MPI_Wait(&sent, MPI_STATUS_IGNORE), DELIVERY(1, 1));
}

static void step(int i)
{
    planted_work(planted.work_us);
    if (i >= 0 && (planted.twin || i % 2 == rank))
        planted_delay(planted.twin ? planted.delay_us / 2 : planted.delay_us);
    char *buffer = buffers[(i + 1) % BUFFERS];
    if (rank == 1) {
        STAMP(MPI_Recv(buffer, planted.bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(1, 0));
    } else if (planted.repaired) {
        if (i >= 0)
            complete();
        STAMP(MPI_Isend(buffer, planted.bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &sent), SEND(1, 1));
    } else {
        STAMP(MPI_Send(buffer, planted.bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD), SYNC_SEND(1, 1));
    }
    result += buffer[0];
}

static void finish(void)
{
    if (rank == 0 && planted.repaired)
        complete();
    for (int n = 0; n < BUFFERS; n++)
        free(buffers[n]);
}
