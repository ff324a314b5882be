/* redundant_barrier: a barrier right before an allreduce, which synchronises by itself.
 *
 * The ranks take turns in being late, so that the barrier costs something. In the twin the allreduce
 * is alone, and what is found is its own wait. Variant apart has the same two calls with work between
 * them that differs from rank to rank: there the barrier is not redundant by itself.
 *
 * case: name=before_allreduce ranks=2 quick
 * args: --variant barrier
 * expect: finding=redundant_barrier function=MPI_Barrier
 * allow: load_imbalance
 * repair: of=redundant_barrier saves=nothing args="--variant none"
 * case: name=twin ranks=2 quick
 * args: --variant none
 * expect: finding=wait_at_nxn function=MPI_Allreduce seconds=planted tolerance=5%
 * allow: load_imbalance
 * case: name=apart_twin ranks=2
 * args: --variant apart --work-us 3000
 * expect: none
 * allow: load_imbalance
 */
#include "skeleton.h"

static void setup(void)
{
    if (!variant_is("barrier") && !variant_is("none") && !variant_is("apart"))
        unknown_variant();
}

static void step(int i)
{
    double all;
    planted_work(planted.work_us);
    if (i >= 0 && i % size == rank && !variant_is("apart"))
        planted_delay(planted.delay_us);
    if (!variant_is("none"))
        STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
    if (variant_is("apart"))
        planted_work(planted.work_us);
    STAMP(MPI_Allreduce(&result, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), NXN(0));
    result = all / size + 1;
}

static void finish(void) {}
