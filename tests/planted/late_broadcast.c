/* late_broadcast: everybody waits for the root of a 1-to-n collective.
 *
 * Variant reversed has a communicator in which ranks count from the other end: its root is the last
 * rank of MPI_COMM_WORLD. A barrier each 8 iterations keeps roots of eager broadcasts from running ahead without end.
 *
 * case: name=bcast ranks=2 quick
 * args: --variant bcast --late 0
 * expect: finding=late_broadcast ranks=1 cause=0 function=MPI_Bcast seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_broadcast saves=measured
 * case: name=bcast_4 ranks=4
 * args: --variant bcast --late 0 --delay-us 8000 --count 30
 * expect: finding=late_broadcast ranks=1,2,3 cause=0 function=MPI_Bcast seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_broadcast saves=measured
 * case: name=ibcast ranks=2
 * args: --variant ibcast --late 0
 * expect: finding=late_broadcast ranks=1 cause=0 function=MPI_Wait seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_broadcast saves=measured
 * case: name=scatter ranks=2
 * args: --variant scatter --late 0
 * expect: finding=late_broadcast ranks=1 cause=0 function=MPI_Scatter seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_broadcast saves=measured
 * case: name=scatterv ranks=2
 * args: --variant scatterv --late 0
 * expect: finding=late_broadcast ranks=1 cause=0 function=MPI_Scatterv seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_broadcast saves=measured
 * case: name=reversed ranks=4
 * args: --variant reversed --late 3 --delay-us 8000 --count 30
 * expect: finding=late_broadcast ranks=0,1,2 cause=3 function=MPI_Bcast seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_broadcast saves=measured
 * case: name=bcast_twin ranks=2 quick
 * args: --variant bcast --twin
 * expect: none
 * case: name=scatter_twin ranks=2
 * args: --variant scatter --twin
 * expect: none
 */
#include "skeleton.h"

static MPI_Comm comm = MPI_COMM_WORLD;
static char *all, *mine;
static int *counts, *displacements;

static void setup(void)
{
    all = zeroed(planted.bytes * size);
    mine = zeroed(planted.bytes);
    counts = series(planted.bytes, 0);
    displacements = series(0, planted.bytes);
    if (variant_is("reversed"))
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
}

static void step(int i)
{
    MPI_Request r;
    work(i);
    if (variant_is("bcast"))
        STAMP(MPI_Bcast(mine, planted.bytes, MPI_BYTE, 0, MPI_COMM_WORLD), FROM_ROOT(0, rank, 0));
    else if (variant_is("reversed"))
        STAMP(MPI_Bcast(mine, planted.bytes, MPI_BYTE, 0, comm), FROM_ROOT(1, rank, size - 1));
    else if (variant_is("scatter"))
        STAMP(MPI_Scatter(all, planted.bytes, MPI_BYTE, mine, planted.bytes, MPI_BYTE, 0, MPI_COMM_WORLD),
              FROM_ROOT(0, rank, 0));
    else if (variant_is("scatterv"))
        STAMP(MPI_Scatterv(all, counts, displacements, MPI_BYTE, mine, planted.bytes, MPI_BYTE, 0, MPI_COMM_WORLD),
              FROM_ROOT(0, rank, 0));
    else if (variant_is("ibcast")) {
        STAMP(MPI_Ibcast(mine, planted.bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &r), ENTRY(0));
        STAMP(MPI_Wait(&r, MPI_STATUS_IGNORE), rank ? planted_part(PLANTED_ROOT, 0, 0) : (void)0);
    } else {
        unknown_variant();
    }
    if (i % 8 == 7)
        STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
    result += mine[0];
}

static void finish(void)
{
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    free(all);
    free(mine);
    free(counts);
    free(displacements);
}
