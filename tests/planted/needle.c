/* needle: one iteration of one rank takes 50 ms longer, once.
 *
 * case: name=once ranks=2 quick
 * args: --work-us 5000 --delay-us 50000 --count 60 --late 1 --when 23
 * expect: finding=outlier cause=1
 * expect: finding=wait_at_nxn ranks=0 cause=1 function=MPI_Allreduce seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=outlier cause=1 saves=measured
 * case: name=once_4 ranks=4
 * args: --work-us 10000 --delay-us 200000 --count 40 --late 2 --when 31
 * expect: finding=outlier cause=2
 * expect: finding=wait_at_nxn ranks=0,1,3 cause=2 function=MPI_Allreduce seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=outlier cause=2 saves=measured
 * case: name=twin ranks=2 quick
 * args: --work-us 5000 --delay-us 50000 --count 60 --twin
 * expect: none
 */
#include "skeleton.h"

static long when;

static void setup(void)
{
    when = planted_long("--when", 23);
}

static void step(int i)
{
    double all;
    planted_work(planted.work_us);
    if (i == when && planted_late(rank))
        planted_delay(planted.delay_us);
    STAMP(MPI_Allreduce(&result, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), NXN(0));
    result = all / size + 1;
}

static void finish(void) {}
