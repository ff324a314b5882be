/* warm_up: the first iteration takes many times as long as the others, on every rank.
 *
 * case: name=first ranks=2 quick
 * args: --work-us 5000 --delay-us 80000 --count 40
 * expect: finding=warm_up
 * allow: outlier
 * repair: root=warm_up saves=measured
 * fact: iterations count=41 warm_up=1
 * case: name=twin ranks=2 quick
 * args: --work-us 5000 --delay-us 80000 --count 40 --twin
 * expect: none
 * fact: iterations count=41
 */
#include "skeleton.h"

static void setup(void) {}

static void step(int i)
{
    double all;
    if (i < 0 && !planted.twin && !planted.repaired)
        planted_delay(planted.delay_us);
    planted_work(planted.work_us);
    STAMP(MPI_Allreduce(&result, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), NXN(0));
    result = all / size + 1;
}

static void finish(void) {}
