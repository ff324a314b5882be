/* hot_sender: rank 0 sends everybody a part of its data, one after the other; the others send next to
 * nothing and wait. In the twin every rank sends as much, to its neighbour. That all have the same data and MPI_Bcast hands
 * them on gains nothing: on one host cores copy as much as before, and between four hosts Open MPI's MPI_Bcast
 * is linear too.
 *
 * case: name=rank_0 ranks=4 quick
 * args: --bytes 4194304 --count 20
 * expect: finding=hot_sender cause=0
 * allow: late_sender late_receiver serialisation_chain load_imbalance
 * repair: of=hot_sender saves=nothing
 * case: name=hosts ranks=4 hosts=4 mpi=openmpi
 * args: --bytes 1048576 --count 20
 * expect: finding=hot_sender cause=0
 * allow: late_sender late_receiver serialisation_chain load_imbalance wait_at_barrier unexplained_mpi_time
 * repair: of=hot_sender saves=nothing
 * case: name=twin ranks=4 quick
 * args: --bytes 4194304 --count 20 --twin
 * expect: none
 * allow: late_sender late_receiver no_overlap
 */
#include "skeleton.h"

static char *out, *in;

static void setup(void)
{
    out = zeroed(planted.bytes);
    in = zeroed(planted.bytes);
}

static void receive(int from)
{
    STAMP(MPI_Recv(in, planted.bytes, MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(1, from));
}

static void send(int to)
{
    STAMP(MPI_Send(out, planted.bytes, MPI_BYTE, to, 1, MPI_COMM_WORLD), SYNC_SEND(1, to));
}

static void step(int i)
{
    (void)i;
    planted_work(planted.work_us);
    if (planted.twin) {
        int other = rank ^ 1;
        if (rank < other) {
            send(other);
            receive(other);
        } else {
            receive(other);
            send(other);
        }
    } else if (planted.repaired) {
        STAMP(MPI_Bcast(out, planted.bytes, MPI_BYTE, 0, MPI_COMM_WORLD), FROM_ROOT(0, rank, 0));
    } else if (rank == 0) {
        for (int to = 1; to < size; to++)
            send(to);
    } else {
        receive(0);
    }
    STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
    result += in[0];
}

static void finish(void)
{
    free(out);
    free(in);
}
