/* wrong_order: a receiver waits for a message while another one, sent earlier, lies there.
 *
 * Variant same: rank 0 sends A, works, sends B; rank 1 receives B first. Variant different: rank 1 sends
 * at once and rank 2 later; rank 0 receives from rank 2 first. The receiver works on each message when it has it, so
 * that the other order saves the work on one of them. Variant both works only when it has both messages: no order
 * saves anything, and the wait is that of a late sender. In twins everybody works first, then both are sent, and received
 * in this order. (Open MPI's small messages keep the sender until the receiver looks.)
 *
 * case: name=same ranks=2 quick
 * args: --variant same
 * expect: finding=wrong_order_same_source ranks=1 cause=0 function=MPI_Recv seconds=planted tolerance=5%
 * allow: late_sender load_imbalance unexpected_messages
 * case: name=different ranks=3
 * args: --variant different
 * expect: finding=wrong_order_different_source ranks=0 cause=2 function=MPI_Recv seconds=planted tolerance=5%
 * allow: late_sender load_imbalance unexpected_messages
 * case: name=both ranks=3
 * args: --variant both
 * expect: finding=late_sender ranks=0 cause=2 function=MPI_Recv
 * allow: load_imbalance unexpected_messages wait_at_barrier wrong_order_different_source
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

static char *buffer;

static void setup(void)
{
    buffer = zeroed(planted.bytes);
    if (!variant_is("same") && !variant_is("different") && !variant_is("both"))
        unknown_variant();
}

/* Half of the delay for each message: what is late has time for the one that is there. */
static void use(long delay_us)
{
    planted_work(delay_us / 2);
}

static void receive(int from, int tag)
{
    STAMP(MPI_Recv(buffer, planted.bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(tag, from));
}

static void send(int to, int tag)
{
    STAMP(MPI_Send(buffer, planted.bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD), SEND(tag, to));
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
        receive(0, planted.twin ? 1 : 2);
        use(delay_us);
        receive(0, planted.twin ? 2 : 1);
        use(delay_us);
    }
}

static void different(long delay_us)
{
    if (rank == 0) {
        if (planted.twin)
            planted_work(delay_us);
        receive(planted.twin ? 1 : 2, 1);
        if (!variant_is("both"))
            use(delay_us);
        receive(planted.twin ? 2 : 1, 1);
        use(delay_us);
    } else {
        if (rank == 2)
            planted_delay(delay_us);
        else if (planted.twin)
            planted_work(delay_us); /* not ahead of rank 2 by more and more */
        send(0, 1);
    }
    /* The next iteration begins together, or rank 1 would run ahead for ever. */
    STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
}

static void step(int i)
{
    long delay_us = i < 0 ? 0 : planted.delay_us;
    planted_work(planted.work_us);
    if (variant_is("same")) {
        same(delay_us);
        STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
    } else {
        different(delay_us);
    }
    result += buffer[0];
}

static void finish(void)
{
    free(buffer);
}
