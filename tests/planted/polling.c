/* polling: a loop of MPI_Iprobe or MPI_Test until something comes, or all have come. Twins block instead: then
 * the wait for the late sender is what is left to find. Repaired ones poll as well, but both ranks work as long.
 *
 * case: name=iprobe ranks=2 quick
 * args: --variant iprobe
 * expect: finding=polling ranks=1 function=MPI_Iprobe
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Iprobe seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance cause=0 saves=measured
 * case: name=test ranks=2
 * args: --variant test
 * expect: finding=polling ranks=1 function=MPI_Test
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Test seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance cause=0 saves=measured
 * case: name=ibarrier ranks=2
 * args: --variant ibarrier
 * expect: finding=polling ranks=1 function=MPI_Test
 * expect: finding=wait_at_barrier ranks=1 cause=0 function=MPI_Test seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance cause=0 saves=measured
 * case: name=turns ranks=2 quick
 * args: --variant turns
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Iprobe
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Test
 * allow: load_imbalance polling
 * repair: root=load_imbalance cause=0 saves=measured
 * case: name=iprobe_twin ranks=2 quick
 * args: --variant probe
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Probe seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance cause=0 saves=measured
 * case: name=test_twin ranks=2
 * args: --variant wait
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Wait seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance cause=0 saves=measured
 */
#include "skeleton.h"

static char *buffer;

static void setup(void)
{
    buffer = zeroed(planted.bytes);
}

static void until_probed(void)
{
    int there = 0;
    planted_enter("MPI_Iprobe(", __FILE__, __LINE__ + 2);
    while (!there)
        MPI_Iprobe(0, 1, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    planted_leave();
    RECV(1, 0);
    STAMP(MPI_Recv(buffer, planted.bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), (void)0);
}

/* A message of any kind, or the one that ends the program. */
static void until_either(void)
{
    static MPI_Request last = MPI_REQUEST_NULL;
    int there = 0, is_over = 0;
    if (last == MPI_REQUEST_NULL)
        MPI_Irecv(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &last);
    planted_enter("MPI_Iprobe(", __FILE__, __LINE__ + 2);
    while (!there && !is_over) {
        MPI_Iprobe(0, 1, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        MPI_Test(&last, &is_over, MPI_STATUS_IGNORE);
    }
    planted_leave();
    RECV(1, 0);
    STAMP(MPI_Recv(buffer, planted.bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), (void)0);
}

static void until_tested(void)
{
    MPI_Request r;
    int done = 0;
    STAMP(MPI_Irecv(buffer, planted.bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &r), POST(1, 0));
    planted_enter("MPI_Test(", __FILE__, __LINE__ + 2);
    while (!done)
        MPI_Test(&r, &done, MPI_STATUS_IGNORE);
    planted_leave();
    ARRIVAL(1, 0);
}

/* Rank 0 is late and finds all there. */
static void until_all_have_come(void)
{
    MPI_Request r;
    int done = 0;
    STAMP(MPI_Ibarrier(MPI_COMM_WORLD, &r), ENTRY(0));
    planted_enter("MPI_Test(", __FILE__, __LINE__ + 2);
    while (!done)
        MPI_Test(&r, &done, MPI_STATUS_IGNORE);
    planted_leave();
    planted_part(PLANTED_BARRIER, 0, -1);
}

static void step(int i)
{
    MPI_Request r;
    planted_work(planted.work_us);
    if (planted.repaired && i >= 0)
        planted_delay(planted.delay_us / size);
    if (variant_is("ibarrier")) {
        if (rank == 0)
            planted_delay(i < 0 || planted.repaired ? 0 : planted.delay_us);
        until_all_have_come();
    } else if (rank == 0) {
        planted_delay(i < 0 || planted.repaired ? 0 : planted.delay_us);
        STAMP(MPI_Send(buffer, planted.bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD), SEND(1, 1));
    } else if (variant_is("iprobe")) {
        until_probed();
    } else if (variant_is("turns")) {
        until_either();
    } else if (variant_is("test")) {
        until_tested();
    } else if (variant_is("probe")) {
        STAMP(MPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(1, 0));
        STAMP(MPI_Recv(buffer, planted.bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), (void)0);
    } else if (variant_is("wait")) {
        STAMP(MPI_Irecv(buffer, planted.bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &r), POST(1, 0));
        STAMP(MPI_Wait(&r, MPI_STATUS_IGNORE), ARRIVAL(1, 0));
    } else {
        unknown_variant();
    }
    result += buffer[0];
}

static void finish(void)
{
    if (variant_is("turns") && rank == 0)
        MPI_Send(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    free(buffer);
}
