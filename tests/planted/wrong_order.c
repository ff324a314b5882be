/* wrong_order: a receiver waits for a message while another one, sent earlier, lies there.
 *
 * Variant same: rank 0 sends A, works, sends B; rank 1 receives B first. Variant different: rank 1 sends
 * at once and rank 2 later; rank 0 receives from rank 2 first. The receiver works on each message by itself, so that it
 * could have worked on the other one meanwhile (repaired, it does). Variant needed_both: as different, but the receiver
 * needs both before it can work: the order of its receives changes nothing. In twins everybody works first, then both
 * are sent, and received in this order. (Open MPI's small messages keep the sender until the receiver looks.)
 *
 * case: name=same ranks=2 quick
 * args: --variant same
 * expect: finding=wrong_order_same_source ranks=1 cause=0 function=MPI_Recv seconds=planted tolerance=5%
 * allow: late_sender load_imbalance unexpected_messages wait_at_nxn
 * repair: root=wrong_order_same_source cause=0 saves=measured
 * case: name=different ranks=3
 * args: --variant different
 * expect: finding=wrong_order_different_source ranks=0 cause=2 function=MPI_Recv seconds=planted tolerance=5%
 * allow: late_sender load_imbalance unexpected_messages wait_at_nxn
 * repair: root=wrong_order_different_source cause=2 saves=measured
 * case: name=needed_both ranks=3
 * args: --variant needed_both
 * expect: finding=late_sender ranks=0 cause=2 function=MPI_Recv seconds=planted tolerance=5%
 * allow: load_imbalance unexpected_messages wait_at_nxn
 * repair: of=wrong_order_different_source saves=nothing
 * case: name=same_twin ranks=2 quick
 * args: --variant same --twin
 * expect: none
 * allow: unexpected_messages
 * case: name=different_twin ranks=3
 * args: --variant different --twin
 * expect: none
 * allow: unexpected_messages
 */
#include "skeleton.h"

/* What the receiver does with a message. */
enum { USE_US = 2000 };
static char *buffer;

static void setup(void)
{
    buffer = zeroed(planted.bytes);
    if (!variant_is("same") && !variant_is("different") && !variant_is("needed_both"))
        unknown_variant();
}

static void receive(int from, int tag)
{
    STAMP(MPI_Recv(buffer, planted.bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(tag, from));
}

static void send(int to, int tag)
{
    STAMP(MPI_Send(buffer, planted.bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD), SEND(tag, to));
}

/* The receiver's two receives, in the order that is planted or the other one. */
static void both(int late_from, int late_tag, int early_from, int early_tag)
{
    int is_late_first = !planted.twin && !planted.repaired;
    int needs_both = planted.twin || variant_is("needed_both");
    for (int n = 0; n < 2; n++) {
        int is_late = (n == 0) == is_late_first;
        receive(is_late ? late_from : early_from, is_late ? late_tag : early_tag);
        if (!needs_both)
            planted_work(USE_US);
    }
    if (needs_both)
        planted_work(2 * USE_US);
}

static void same(long delay_us)
{
    if (planted.twin)
        planted_work(delay_us);
    if (rank == 0) {
        send(1, 1);
        if (!planted.twin)
            planted_delay(delay_us);
        send(1, 2);
    } else {
        both(0, 2, 0, 1);
    }
}

static void different(long delay_us)
{
    if (rank == 0) {
        if (planted.twin)
            planted_work(delay_us);
        both(2, 1, 1, 1);
    } else {
        if (rank == 2)
            planted_delay(delay_us);
        else if (planted.twin)
            planted_work(delay_us); /* not ahead of rank 2 by more and more */
        send(0, 1);
    }
}

/* In a twin senders work while the receiver does. */
static void meanwhile(void)
{
    int is_receiver = rank == (variant_is("same") ? 1 : 0);
    if (planted.twin && !is_receiver)
        planted_work(2 * USE_US);
}

static void step(int i)
{
    double norm;
    long delay_us = i < 0 ? 0 : planted.delay_us;
    planted_work(planted.work_us);
    if (variant_is("same"))
        same(delay_us);
    else
        different(delay_us);
    meanwhile();
    /* The next iteration begins together, or senders would run ahead. */
    STAMP(MPI_Allreduce(&result, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), NXN(0));
    result = norm / size + buffer[0];
}

static void finish(void)
{
    free(buffer);
}
