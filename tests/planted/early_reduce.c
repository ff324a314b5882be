/* early_reduce: the root of an n-to-1 collective waits before anybody has sent.
 *
 * All others are late, so it makes no difference whether the wait ends with the first or the last of them.
 * A barrier each 8 iterations keeps senders from running ahead without end.
 *
 * case: name=reduce ranks=2 quick
 * args: --variant reduce --late 1
 * expect: finding=early_reduce ranks=0 cause=1 function=MPI_Reduce seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|early_reduce saves=measured
 * case: name=reduce_4 ranks=4
 * args: --variant reduce --late 1,2,3 --delay-us 8000 --count 30
 * expect: finding=early_reduce ranks=0 function=MPI_Reduce seconds=planted tolerance=10%
 * allow: load_imbalance
 * repair: root=load_imbalance|early_reduce saves=measured
 * case: name=gather ranks=2
 * args: --variant gather --late 1
 * expect: finding=early_reduce ranks=0 cause=1 function=MPI_Gather seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|early_reduce saves=measured
 * case: name=gatherv ranks=2
 * args: --variant gatherv --late 1
 * expect: finding=early_reduce ranks=0 cause=1 function=MPI_Gatherv seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|early_reduce saves=measured
 * case: name=reduce_twin ranks=2 quick
 * args: --variant reduce --twin
 * expect: none
 * case: name=gather_twin ranks=2
 * args: --variant gather --twin
 * expect: none
 */
#include "skeleton.h"

static char *all, *mine;
static int *counts, *displacements;

static void setup(void)
{
    all = zeroed(planted.bytes * size);
    mine = zeroed(planted.bytes);
    counts = series(planted.bytes, 0);
    displacements = series(0, planted.bytes);
}

static void step(int i)
{
    work(i);
    if (variant_is("reduce"))
        STAMP(MPI_Reduce(mine, all, planted.bytes, MPI_SIGNED_CHAR, MPI_MAX, 0, MPI_COMM_WORLD), TO_ROOT(0, rank, 0));
    else if (variant_is("gather"))
        STAMP(MPI_Gather(mine, planted.bytes, MPI_BYTE, all, planted.bytes, MPI_BYTE, 0, MPI_COMM_WORLD),
              TO_ROOT(0, rank, 0));
    else if (variant_is("gatherv"))
        STAMP(MPI_Gatherv(mine, planted.bytes, MPI_BYTE, all, counts, displacements, MPI_BYTE, 0, MPI_COMM_WORLD),
              TO_ROOT(0, rank, 0));
    else
        unknown_variant();
    if (i % 8 == 7)
        STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
    result += all[0];
}

static void finish(void)
{
    free(all);
    free(mine);
    free(counts);
    free(displacements);
}
