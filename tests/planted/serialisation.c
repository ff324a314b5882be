/* serialisation: everybody waits for the neighbour, who waits for the next one.
 *
 * Variant ring: large blocking sends to the right round a ring, then the receive; only the last rank
 * receives first, so the transfers follow each other like the steps of a staircase. In its twin even ranks
 * send first and odd ones receive first. Variant sweep: a rank works on what comes from the left
 * before it hands on. In its twin everybody exchanges first and works then.
 *
 * case: name=ring ranks=4
 * args: --variant ring --bytes 4194304 --count 20
 * expect: finding=serialisation_chain
 * allow: late_sender late_receiver hot_sender load_imbalance no_overlap
 * repair: root=serialisation_chain saves=measured args=--twin
 * case: name=sweep ranks=4 quick
 * args: --variant sweep --count 20 --delay-us 4000
 * expect: finding=pipeline_fill
 * expect: finding=late_sender ranks=1,2,3 function=MPI_Recv seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=serialisation_chain|pipeline_fill saves=measured alternative=1 args=--twin
 * case: name=ring_twin ranks=4
 * args: --variant ring --bytes 4194304 --count 20 --twin
 * expect: none
 * allow: late_sender late_receiver no_overlap
 * case: name=sweep_twin ranks=4 quick
 * args: --variant sweep --count 20 --delay-us 4000 --twin
 * expect: none
 */
#include "skeleton.h"

static char *out, *in;
static int left, right;

static void setup(void)
{
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    out = zeroed(planted.bytes);
    in = zeroed(planted.bytes);
    if (!variant_is("ring") && !variant_is("sweep"))
        unknown_variant();
}

static void send_right(void)
{
    if (planted.bytes > 65536)
        STAMP(MPI_Send(out, planted.bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD), SYNC_SEND(1, right));
    else
        STAMP(MPI_Send(out, planted.bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD), SEND(1, right));
}

static void receive_left(void)
{
    STAMP(MPI_Recv(in, planted.bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(1, left));
}

static void ring(void)
{
    planted_work(planted.work_us);
    int receives_first = planted.twin ? rank % 2 == 1 : rank == size - 1;
    if (receives_first)
        receive_left();
    send_right();
    if (!receives_first)
        receive_left();
}

static void sweep(int i)
{
    if (planted.twin) {
        if (rank < size - 1)
            send_right();
        if (rank > 0)
            receive_left();
        planted_work(planted.delay_us);
    } else {
        if (rank > 0)
            receive_left();
        planted_delay(i < 0 ? 0 : planted.delay_us);
        if (rank < size - 1)
            send_right();
    }
    /* One sweep at a time: no pipeline of many sweeps that would fill. */
    STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
}

static void step(int i)
{
    if (variant_is("ring"))
        ring();
    else
        sweep(i);
    result += in[0];
}

static void finish(void)
{
    free(out);
    free(in);
}
