/* early_scan: in a prefix reduction a rank waits for lower ones.
 *
 * The reverse, a late last rank, makes nobody wait: that is a twin too. A barrier each 8 iterations
 * keeps lower ranks from running ahead without end.
 *
 * case: name=scan ranks=2 quick
 * args: --variant scan --late 0
 * expect: finding=early_scan ranks=1 cause=0 function=MPI_Scan seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|early_scan saves=measured
 * case: name=exscan ranks=2
 * args: --variant exscan --late 0
 * expect: finding=early_scan ranks=1 cause=0 function=MPI_Exscan seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|early_scan saves=measured
 * case: name=scan_twin ranks=2 quick
 * args: --variant scan --twin
 * expect: none
 * case: name=exscan_twin ranks=2
 * args: --variant exscan --twin
 * expect: none
 */
#include "skeleton.h"

static double mine[16], sum[16];

static void setup(void)
{
    mine[0] = rank;
}

static void step(int i)
{
    work(i);
    if (variant_is("scan"))
        STAMP(MPI_Scan(mine, sum, 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), SCAN(0));
    else if (variant_is("exscan"))
        STAMP(MPI_Exscan(mine, sum, 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), SCAN(0));
    else
        unknown_variant();
    if (i % 8 == 7)
        STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
    result += sum[0];
}

static void finish(void) {}
