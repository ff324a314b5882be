/* pscw_groups: several groups at once on one window: who waits for whom follows from the groups alone.
 *
 * Variant by_turns: rank 0 opens its window to rank 1, and later to rank 2, which has come long before. At the same
 * time rank 1 opens its own to rank 3. Variant named_only: rank 1 needs the windows of ranks 0 and 3, puts to
 * rank 0 alone, and rank 3 posts late. Variant unaccessed: rank 0 is open to ranks 1 and 2, and rank 2 comes late and
 * puts nothing. Groups are made anew for each epoch.
 *
 * case: name=by_turns ranks=4 quick
 * args: --variant by_turns
 * expect: finding=late_post ranks=2 cause=0 seconds=planted tolerance=5%
 * allow: early_wait late_complete wait_at_barrier load_imbalance
 * repair: root=load_imbalance|late_post cause=0 saves=measured
 * case: name=by_turns_twin ranks=4
 * args: --variant by_turns --twin
 * expect: none
 * allow: load_imbalance wait_at_barrier outlier
 * case: name=named_only ranks=4 quick
 * args: --variant named_only
 * expect: finding=late_post ranks=1 cause=3 seconds=planted tolerance=5%
 * allow: early_wait late_complete wait_at_barrier load_imbalance
 * repair: root=load_imbalance|late_post cause=3 saves=measured
 * case: name=unaccessed ranks=4
 * args: --variant unaccessed
 * expect: finding=early_wait ranks=0 cause=2 function=MPI_Win_wait seconds=planted tolerance=5%
 * allow: late_complete late_post wait_at_barrier load_imbalance
 * repair: root=load_imbalance|early_wait cause=2 saves=measured
 * case: name=twin ranks=4
 * args: --variant none --twin
 * expect: none
 * allow: load_imbalance wait_at_barrier outlier
 */
#include "skeleton.h"

static MPI_Win window;
static MPI_Group world;
static char *exposed, *mine;

static void setup(void)
{
    mine = zeroed(planted.bytes);
    MPI_Win_allocate(planted.bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &exposed, &window);
    memset(exposed, 0, planted.bytes);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (!variant_is("by_turns") && !variant_is("named_only") && !variant_is("unaccessed") && !variant_is("none"))
        unknown_variant();
}

/* The group of one rank, or of two. */
static MPI_Group of(int a, int b)
{
    MPI_Group group;
    int ranks[2] = {a, b};
    MPI_Group_incl(world, b < 0 ? 1 : 2, ranks, &group);
    return group;
}

static void expose(int a, int b)
{
    MPI_Group group = of(a, b);
    STAMP(MPI_Win_post(group, 0, window), EXPOSE(a), b < 0 ? (void)0 : EXPOSE(b));
    MPI_Group_free(&group);
}

static void close_to(int a, int b)
{
    /* In a twin, accesses are over by then. */
    planted_work(planted.twin ? 700 : 0);
    STAMP(MPI_Win_wait(window), CLOSE(a), b < 0 ? (void)0 : CLOSE(b));
    result += exposed[0];
}

/* Needs the windows of `a` and `b`, and puts to `a` unless an option forbids it. */
static void access_to(int a, int b, int puts)
{
    MPI_Group group = of(a, b);
    STAMP(MPI_Win_start(group, 0, window), ACCESS(a), b < 0 ? (void)0 : ACCESS(b));
    if (puts)
        STAMP(MPI_Put(mine, planted.bytes, MPI_BYTE, a, 0, planted.bytes, MPI_BYTE, window), ACCESS(a));
    STAMP(MPI_Win_complete(window), FINISH(a), b < 0 ? (void)0 : FINISH(b));
    MPI_Group_free(&group);
}

static void late(int i, int who, const char *here)
{
    if (i >= 0 && !planted.twin && rank == who && variant_is(here))
        planted_delay(planted.repaired ? planted.delay_us / size : planted.delay_us);
}

/* Whoever accesses comes when the window is open already. */
static void moment(void)
{
    planted_work(300);
}

static void by_turns(int i)
{
    if (rank == 0) {
        expose(1, -1);
        close_to(1, -1);
        late(i, 0, "by_turns");
        expose(2, -1);
        close_to(2, -1);
    } else if (rank == 1) {
        moment();
        access_to(0, -1, 1);
        expose(3, -1);
        close_to(3, -1);
    } else if (rank == 2) {
        if (planted.twin)
            planted_work(1100);
        access_to(0, -1, 1);
    } else {
        planted_work(900);
        access_to(1, -1, 1);
    }
}

static void named_only(int i)
{
    if (rank == 0) {
        expose(1, -1);
        close_to(1, -1);
    } else if (rank == 1) {
        moment();
        access_to(0, 3, 1);
    } else if (rank == 3) {
        late(i, 3, "named_only");
        expose(1, -1);
        close_to(1, -1);
    }
}

static void unaccessed(int i)
{
    if (rank == 0) {
        expose(1, 2);
        close_to(1, 2);
    } else if (rank == 1) {
        moment();
        access_to(0, -1, 1);
    } else if (rank == 2) {
        moment();
        late(i, 2, "unaccessed");
        access_to(0, -1, 0);
    }
}

static void step(int i)
{
    planted_work(planted.work_us);
    if (planted.twin && i >= 0)
        planted_delay(planted.delay_us);
    /* Where that is repaired, all do a part of it, the late rank where it did it all. */
    int late_one = variant_is("by_turns") ? 0 : variant_is("named_only") ? 3 : 2;
    if (planted.repaired && i >= 0 && rank != late_one)
        planted_delay(planted.delay_us / size);
    if (variant_is("by_turns"))
        by_turns(i);
    else if (variant_is("named_only"))
        named_only(i);
    else if (variant_is("unaccessed"))
        unaccessed(i);
    else {
        named_only(i);
        STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
        unaccessed(i);
    }
    /* So that nobody is an iteration ahead. */
    STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
}

static void finish(void)
{
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    free(mine);
}
