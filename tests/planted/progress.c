/* progress: a large message whose receive was posted in time, and that moves only when the receiver
 * is inside MPI again. Repaired, both do half of the work at the same time.
 *
 * Rank 1 posts its receive, sends rank 0 a note, works without a call, and waits. Rank 0 waits for its send
 * all that time. In the twin rank 1 waits at once and works afterwards. Variant then_work has rank 0 work when its message is
 * gone, so that its wait costs the run; advised are calls of MPI_Test between pieces of rank 1's work, and repaired there are.
 *
 * case: name=rendezvous ranks=2 quick
 * args: --bytes 4194304 --delay-us 10000 --count 20
 * expect: finding=wait_for_progress ranks=0 cause=1 function=MPI_Wait seconds=planted tolerance=10%
 * allow: no_overlap load_imbalance
 * repair: root=load_imbalance cause=1 saves=measured
 * case: name=then_work ranks=2
 * args: --bytes 4194304 --delay-us 10000 --count 20 --variant then_work
 * expect: finding=wait_for_progress ranks=0 cause=1 function=MPI_Wait seconds=planted tolerance=10%
 * allow: no_overlap load_imbalance late_sender wait_at_nxn
 * repair: root=wait_for_progress cause=1 saves=measured
 * Variant operation: both begin an MPI_Iallreduce, and rank 1 computes longer until it waits for it. Open MPI makes progress in calls only; with MPICH, rank 0
 * goes on, and waits in the next operation.
 *
 * case: name=operation ranks=2 quick
 * args: --delay-us 3000 --count 20 --variant operation
 * expect: finding=load_imbalance cause=1
 * allow: no_overlap wait_for_progress wait_at_nxn
 * repair: root=load_imbalance cause=1 saves=measured
 * case: name=twin ranks=2 quick
 * args: --bytes 4194304 --delay-us 10000 --count 20 --twin
 * expect: none
 * allow: no_overlap
 */
#include "skeleton.h"

static char *buffer;

static void setup(void)
{
    buffer = zeroed(planted.bytes);
}

/* Work with a look now and then whether something has come. */
static void work_and_test(long us, MPI_Request *r)
{
    enum { LOOKS = 50 };
    for (int n = 0, has_come; n < LOOKS; n++) {
        planted_delay(us / LOOKS);
        STAMP(MPI_Test(r, &has_come, MPI_STATUS_IGNORE), (void)0);
    }
}

static void step(int i)
{
    MPI_Request r;
    double norm;
    long delay_us = i < 0 ? 0 : planted.delay_us;
    planted_work(planted.work_us);
    if (variant_is("operation")) {
        STAMP(MPI_Iallreduce(&result, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r), (void)0);
        planted_work(planted.work_us);
        if (planted.repaired)
            planted_delay(delay_us / 2);
        else if (rank == 1)
            planted_delay(delay_us);
        STAMP(MPI_Wait(&r, MPI_STATUS_IGNORE), (void)0);
        return;
    }
    if (rank == 0) {
        STAMP(MPI_Recv(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(2, 1));
        if (planted.repaired && !variant_is("then_work"))
            planted_delay(delay_us / 2);
        planted_work(200); /* rank 1 is at work by now */
        STAMP(MPI_Isend(buffer, planted.bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &r), SEND(1, 1));
        STAMP(MPI_Wait(&r, MPI_STATUS_IGNORE), DELIVERY(1, 1));
        if (planted.twin || variant_is("then_work"))
            planted_work(delay_us);
    } else {
        STAMP(MPI_Irecv(buffer, planted.bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &r), POST(1, 0));
        STAMP(MPI_Send(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD), SEND(2, 0));
        if (planted.repaired && !variant_is("then_work"))
            planted_delay(delay_us / 2);
        else if (planted.repaired)
            work_and_test(delay_us, &r);
        else if (!planted.twin)
            planted_delay(delay_us);
        STAMP(MPI_Wait(&r, MPI_STATUS_IGNORE), ARRIVAL(1, 0));
        if (planted.twin)
            planted_work(delay_us);
    }
    /* Or rank 1 would be an iteration ahead, and at work when nobody waits for it. */
    if (variant_is("then_work"))
        STAMP(MPI_Allreduce(&result, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), NXN(0));
    result += buffer[0];
}

static void finish(void)
{
    free(buffer);
}
