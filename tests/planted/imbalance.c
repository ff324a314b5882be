/* imbalance: one rank computes more in each iteration, and all others wait for it in an allreduce.
 *
 * Variant region says so with mpiscope.h: the region assemble is where the time goes, solve is balanced.
 * Variant moving has another rank be late each time: over the run everybody has worked as much.
 *
 * case: name=constant ranks=4 quick
 * args: --variant constant --late 2 --delay-us 8000 --count 30
 * expect: finding=load_imbalance cause=2
 * expect: finding=wait_at_nxn ranks=0,1,3 cause=2 function=MPI_Allreduce seconds=planted tolerance=5%
 * repair: root=load_imbalance cause=2 saves=measured
 * case: name=region ranks=2
 * args: --variant region --late 1
 * expect: finding=load_imbalance cause=1 region=assemble
 * expect: finding=wait_at_nxn ranks=0 cause=1 function=MPI_Allreduce seconds=planted tolerance=5%
 * repair: root=load_imbalance cause=1 saves=measured
 * case: name=moving ranks=4
 * args: --variant moving --delay-us 8000 --count 30
 * expect: finding=wait_at_nxn ranks=0,1,2,3 cause=0,1,2,3 function=MPI_Allreduce seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_nxn saves=measured
 * case: name=constant_twin ranks=4 quick
 * args: --variant constant --twin --delay-us 8000 --count 30
 * expect: none
 * case: name=region_twin ranks=2
 * args: --variant region --twin
 * expect: none
 */
#include "skeleton.h"

#include <mpiscope.h>

static void setup(void)
{
    if (!variant_is("constant") && !variant_is("region") && !variant_is("moving"))
        unknown_variant();
}

static void assemble(int i)
{
    long extra_us = planted_extra_us(rank, size);
    if (variant_is("moving"))
        extra_us = planted.repaired ? planted.delay_us / size : i % size == rank ? planted.delay_us : 0;
    planted_work(planted.work_us / 2);
    if (i >= 0)
        planted_delay(extra_us);
}

static void solve(void)
{
    planted_work(planted.work_us / 2);
}

static void step(int i)
{
    double norm;
    int regions = variant_is("region");
    if (regions)
        mpiscope_begin("assemble");
    assemble(i);
    if (regions)
        mpiscope_end("assemble");
    if (regions)
        mpiscope_begin("solve");
    solve();
    STAMP(MPI_Allreduce(&result, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), NXN(0));
    if (regions)
        mpiscope_end("solve");
    result = norm / size + 1;
}

static void finish(void) {}
