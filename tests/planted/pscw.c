/* pscw: post, start, complete and wait on a window of rank 1, which rank 0 writes to.
 *
 * Variant late_post: rank 1 posts late, and rank 0 cannot access. early_wait: rank 0 comes late to
 * its access, and rank 1 waits in MPI_Win_wait. late_complete: rank 0 has put everything and works
 * before it completes; rank 1 waits for nothing but the call.
 *
 * case: name=late_post ranks=2 quick
 * args: --variant late_post
 * expect: finding=late_post ranks=0 cause=1 seconds=planted tolerance=5%
 * allow: early_wait load_imbalance
 * repair: root=load_imbalance|late_post cause=1 saves=measured
 * case: name=early_wait ranks=2
 * args: --variant early_wait
 * expect: finding=early_wait ranks=1 cause=0 function=MPI_Win_wait seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|early_wait cause=0 saves=measured
 * case: name=late_complete ranks=2
 * args: --variant late_complete
 * expect: finding=late_complete ranks=1 cause=0 function=MPI_Win_wait seconds=planted tolerance=5%
 * allow: early_wait load_imbalance
 * repair: root=load_imbalance|late_complete cause=0 saves=measured
 * case: name=twin ranks=2 quick
 * args: --variant none --twin
 * expect: none
 */
#include "skeleton.h"

static MPI_Win window;
static MPI_Group other;
static char *exposed, *mine;

static void setup(void)
{
    MPI_Group world;
    int peer = 1 - rank;
    mine = zeroed(planted.bytes);
    MPI_Win_allocate(planted.bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &exposed, &window);
    memset(exposed, 0, planted.bytes);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    MPI_Group_free(&world);
    if (!variant_is("late_post") && !variant_is("early_wait") && !variant_is("late_complete") && !variant_is("none"))
        unknown_variant();
}

static void late(int i, const char *here)
{
    if (i >= 0 && variant_is(here) && !planted.repaired)
        planted_delay(planted.delay_us);
}

static void step(int i)
{
    /* Rank 1 needs a moment to come back from its wait; that is no late post. */
    int after = rank == 0 && (variant_is("early_wait") || variant_is("late_complete"));
    planted_work(planted.work_us + (after ? 300 : 0));
    if (planted.twin && i >= 0)
        planted_delay(planted.delay_us);
    /* Where that is repaired, both do half of it. */
    if (planted.repaired && i >= 0)
        planted_delay(planted.delay_us / size);
    if (rank == 0) {
        late(i, "early_wait");
        STAMP(MPI_Win_start(other, 0, window), ACCESS(1));
        STAMP(MPI_Put(mine, planted.bytes, MPI_BYTE, 1, 0, planted.bytes, MPI_BYTE, window), ACCESS(1));
        late(i, "late_complete");
        STAMP(MPI_Win_complete(window), FINISH(1));
    } else {
        late(i, "late_post");
        STAMP(MPI_Win_post(other, 0, window), EXPOSE(0));
        STAMP(MPI_Win_wait(window), CLOSE(0));
    }
    result += exposed[0];
}

static void finish(void)
{
    MPI_Group_free(&other);
    MPI_Win_free(&window);
    free(mine);
}
