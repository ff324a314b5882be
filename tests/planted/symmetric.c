/* symmetric: pairs exchange, and one side comes to its receive late.
 *
 * Variant late_receive: odd ranks work longer before they receive, and answer then. Even ranks wait in a synchronous send.
 * With the receive posted before the work (repaired) they wait as long for the answer: nothing is gained. Variant
 * early_receive: all receives are posted before the work; the cause is who works longer, and balancing helps. Variant
 * work_first: rank 1 works before it receives though it needs nothing of the message, and rank 0 works when it has been taken.
 * Received first (repaired), both work at once.
 *
 * case: name=late_receive ranks=2
 * args: --variant late_receive --late 1
 * expect: finding=late_receiver ranks=0 cause=1 function=MPI_Ssend seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: of=late_receiver saves=nothing
 * case: name=late_receive_pairs ranks=4
 * args: --variant late_receive --late 1,3 --delay-us 8000 --count 30
 * expect: finding=late_receiver ranks=0,2 cause=1,3 function=MPI_Ssend seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: of=late_receiver saves=nothing
 * case: name=early_receive ranks=2
 * args: --variant early_receive --late 1
 * expect: finding=late_sender ranks=0 cause=1 function=MPI_Waitall seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_sender cause=1 saves=measured args=--balanced
 * case: name=work_first ranks=2
 * args: --variant work_first --delay-us 4000
 * expect: finding=late_receiver ranks=0 cause=1 function=MPI_Ssend seconds=planted tolerance=5%
 * allow: wait_at_barrier load_imbalance serialisation_chain
 * repair: root=late_receiver cause=1 saves=measured
 * case: name=late_receive_twin ranks=2
 * args: --variant late_receive --twin
 * expect: none
 * case: name=early_receive_twin ranks=2
 * args: --variant early_receive --twin
 * expect: none
 */
#include "skeleton.h"

enum { THERE = 1, BACK = 2 };
static char *out, *in;
static int partner, is_late, is_balanced;

static void setup(void)
{
    out = zeroed(planted.bytes);
    in = zeroed(planted.bytes);
    partner = rank ^ 1;
    is_balanced = planted_word("--balanced", NULL) != NULL;
    /* Repaired, they are late all the same: only the receive is earlier. */
    is_late = rank % 2 == 1;
    if (!variant_is("late_receive") && !variant_is("early_receive") && !variant_is("work_first"))
        unknown_variant();
}

static void lateness(int i)
{
    planted_work(planted.work_us);
    if (i >= 0 && is_balanced)
        planted_work(planted.delay_us / 2);
    else if (i >= 0 && (is_late || planted.twin))
        planted_delay(planted.delay_us);
}

static void late_receive(int i)
{
    int n = (int)planted.bytes;
    MPI_Request r;
    if (rank % 2 == 0) {
        lateness(i);
        STAMP(MPI_Ssend(out, n, MPI_BYTE, partner, THERE, MPI_COMM_WORLD), SYNC_SEND(THERE, partner));
        STAMP(MPI_Recv(in, n, MPI_BYTE, partner, BACK, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(BACK, partner));
        return;
    }
    if (planted.repaired)
        STAMP(MPI_Irecv(in, n, MPI_BYTE, partner, THERE, MPI_COMM_WORLD, &r), POST(THERE, partner));
    lateness(i);
    if (planted.repaired)
        STAMP(MPI_Wait(&r, MPI_STATUS_IGNORE), ARRIVAL(THERE, partner));
    else
        STAMP(MPI_Recv(in, n, MPI_BYTE, partner, THERE, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(THERE, partner));
    STAMP(MPI_Send(out, n, MPI_BYTE, partner, BACK, MPI_COMM_WORLD), SEND(BACK, partner));
}

static void early_receive(int i)
{
    int n = (int)planted.bytes;
    MPI_Request r[2];
    STAMP(MPI_Irecv(in, n, MPI_BYTE, partner, THERE, MPI_COMM_WORLD, &r[0]), POST(THERE, partner));
    lateness(i);
    STAMP(MPI_Isend(out, n, MPI_BYTE, partner, THERE, MPI_COMM_WORLD, &r[1]), SEND(THERE, partner));
    STAMP(MPI_Waitall(2, r, MPI_STATUSES_IGNORE), ARRIVAL(THERE, partner));
}

static void work_first(int i)
{
    int n = (int)planted.bytes;
    long us = i < 0 ? 0 : planted.delay_us;
    if (rank % 2 == 0)
        STAMP(MPI_Ssend(out, n, MPI_BYTE, partner, THERE, MPI_COMM_WORLD), SYNC_SEND(THERE, partner));
    if (rank % 2 == 0 || !planted.repaired)
        planted_work(us);
    if (rank % 2 == 1)
        STAMP(MPI_Recv(in, n, MPI_BYTE, partner, THERE, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(THERE, partner));
    if (rank % 2 == 1 && planted.repaired)
        planted_work(us);
    STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
}

static void step(int i)
{
    if (variant_is("late_receive"))
        late_receive(i);
    else if (variant_is("early_receive"))
        early_receive(i);
    else
        work_first(i);
    result += in[0];
}

static void finish(void)
{
    free(out);
    free(in);
}
