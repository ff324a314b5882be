/* varying: who is late, and when, changes in the course of the run.
 *
 * Variant turns: another rank is late in each iteration. Variant burst: the late rank is late only in some iterations.
 * Variant growing: it is later from iteration to iteration. Variant drift: the first half of the run has one late rank, the
 * second half another. Variants before and after: one rank has more to do before the first iteration, or after the last one.
 *
 * case: name=turns ranks=4
 * args: --variant turns --delay-us 8000 --count 40
 * expect: finding=wait_at_barrier ranks=0,1,2,3 cause=0,1,2,3 function=MPI_Barrier seconds=planted tolerance=5% iterations=all
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_barrier saves=measured
 * case: name=turns_8 ranks=8 mpi=openmpi
 * args: --variant turns --delay-us 16000 --count 24
 * expect: finding=wait_at_barrier seconds=planted tolerance=5% function=MPI_Barrier iterations=all
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_barrier saves=measured
 * case: name=turns_long ranks=2 quick
 * args: --variant turns --delay-us 1500 --count 300
 * expect: finding=load_imbalance ranks=0,1 cause=0,1
 * allow: wait_at_barrier
 * repair: root=load_imbalance|wait_at_barrier saves=measured
 * case: name=burst ranks=2 quick
 * args: --variant burst --late 1 --delay-us 8000 --count 60 --from 20 --until 35
 * expect: finding=wait_at_barrier ranks=0 cause=1 seconds=planted tolerance=5% iterations=20-34
 * allow: load_imbalance outlier
 * repair: root=load_imbalance cause=1 saves=measured
 * case: name=burst_4 ranks=4
 * args: --variant burst --late 2 --delay-us 12000 --count 50 --from 30 --until 40
 * expect: finding=wait_at_barrier ranks=0,1,3 cause=2 seconds=planted tolerance=5% iterations=30-39
 * allow: load_imbalance outlier
 * repair: root=load_imbalance cause=2 saves=measured
 * case: name=recurring ranks=2 quick
 * args: --variant recurring --late 0 --delay-us 4000 --count 150 --work-us 500
 * expect: finding=load_imbalance ranks=1 cause=0
 * allow: wait_at_barrier
 * repair: root=load_imbalance cause=0 saves=measured
 * case: name=before ranks=2 quick
 * args: --variant before --late 0 --delay-us 40000 --count 150 --work-us 500
 * expect: finding=load_imbalance ranks=1 cause=0
 * allow: wait_at_barrier
 * repair: root=load_imbalance cause=0 saves=measured
 * case: name=after ranks=2 quick
 * args: --variant after --late 1 --delay-us 40000 --count 150 --work-us 500
 * expect: finding=load_imbalance ranks=0 cause=1
 * allow: wait_at_barrier
 * repair: root=load_imbalance cause=1 saves=measured
 * case: name=growing ranks=2
 * args: --variant growing --late 0 --delay-us 8000 --count 40
 * expect: finding=wait_at_barrier ranks=1 cause=0 seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance cause=0 saves=measured
 * case: name=drift ranks=4
 * args: --variant drift --delay-us 8000 --count 40
 * expect: finding=wait_at_barrier ranks=0,1,2,3 cause=0,3 seconds=planted tolerance=5% iterations=all
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_barrier saves=measured
 * case: name=turns_twin ranks=4
 * args: --variant turns --delay-us 8000 --count 40 --twin
 * expect: none
 * case: name=burst_twin ranks=2
 * args: --variant burst --delay-us 8000 --count 60 --from 20 --until 35 --twin
 * expect: none
 * case: name=recurring_twin ranks=2
 * args: --variant recurring --delay-us 4000 --count 150 --work-us 500 --twin
 * expect: none
 * case: name=before_twin ranks=2
 * args: --variant before --delay-us 40000 --count 150 --work-us 500 --twin
 * expect: none
 * case: name=after_twin ranks=2
 * args: --variant after --delay-us 40000 --count 150 --work-us 500 --twin
 * expect: none
 * case: name=growing_twin ranks=2
 * args: --variant growing --delay-us 8000 --count 40 --twin
 * expect: none
 */
#include "skeleton.h"

static long from, until;
enum { EVERY = 10 };

static long late_us(int i);

static void setup(void)
{
    from = planted_long("--from", 0);
    until = planted_long("--until", 0);
    if (variant_is("before")) {
        planted_delay(late_us(0));
        STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
    }
}

/* Whether what is planted is outside of the loop. */
static int is_outside(void)
{
    return variant_is("before") || variant_is("after");
}

/* How late one rank is. */
static long planted_us(int i)
{
    if (variant_is("turns") || variant_is("drift") || is_outside())
        return planted.delay_us;
    if (variant_is("burst"))
        return from <= i && i < until ? planted.delay_us : 0;
    if (variant_is("recurring"))
        return i % EVERY == EVERY - 1 ? planted.delay_us : 0;
    if (variant_is("growing"))
        return planted.delay_us * i / planted.count;
    unknown_variant();
    return 0;
}

/* How late this rank is, or everybody in a twin; where that is repaired, everybody has the same part of it. */
static long late_us(int i)
{
    if (planted.twin)
        return planted_us(i);
    if (planted.repaired)
        return planted_us(i) / size;
    int late = planted_late(rank);
    if (variant_is("turns"))
        late = i % size == rank;
    if (variant_is("drift"))
        late = rank == (i < planted.count / 2 ? 0 : size - 1);
    return late ? planted_us(i) : 0;
}

static void step(int i)
{
    planted_work(planted.work_us);
    if (variant_is("recurring")) {
        STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
        if (i % EVERY != EVERY - 1)
            return;
    }
    if (i >= 0 && !is_outside())
        planted_delay(late_us(i));
    STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
    if (variant_is("after") && i == planted.count - 1) {
        planted_delay(late_us(0));
        STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
    }
    result += i;
}

static void finish(void) {}
