/* idle: half of the ranks take no part in the work and wait for its end. Repaired, all share it.
 *
 * case: name=half ranks=4 quick
 * args: --active 2 --delay-us 8000 --count 30
 * expect: finding=idle_ranks ranks=2,3
 * allow: load_imbalance
 * repair: root=idle_ranks saves=measured
 * case: name=twin ranks=4 quick
 * args: --active 4 --delay-us 8000 --count 30
 * expect: none
 */
#include "skeleton.h"

static MPI_Comm active = MPI_COMM_NULL;
static int takes_part;
static long work_us;

static void setup(void)
{
    long ranks = planted_long("--active", 2);
    takes_part = planted.repaired || rank < ranks;
    work_us = (planted.work_us + planted.delay_us) * (planted.repaired ? ranks : size) / size;
    MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, rank, &active);
}

static void step(int i)
{
    double all;
    if (takes_part) {
        planted_work(i < 0 ? planted.work_us : work_us);
        STAMP(MPI_Allreduce(&result, &all, 1, MPI_DOUBLE, MPI_SUM, active), NXN(1));
        result = all / size + 1;
    }
    if (i == planted.count - 1)
        STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
}

static void finish(void)
{
    if (takes_part)
        MPI_Comm_free(&active);
}
