/* target: rank 0 accesses the window of a rank that computes outside of MPI. Under MPICH the access waits until that rank
 * enters MPI; Open MPI reaches the memory of another rank of this host directly.
 *
 * Rank 1 computes, and both meet in a reduction. Rank 0 puts something into the window of rank 1 meanwhile, and then computes
 * half as long. Variant lock takes a lock each time, variant flush has one lock of all ranks for the whole run. In the
 * twin rank 0 accesses the window when rank 1 is in the reduction. Repaired, rank 1 calls MPI_Iprobe between pieces of its work.
 *
 * case: name=lock ranks=2 mpi=mpich quick
 * args: --delay-us 10000 --count 20 --variant lock
 * expect: finding=rma_wait_for_progress ranks=0 cause=1 function=MPI_Win_lock seconds=planted tolerance=10%
 * allow: load_imbalance wait_at_nxn
 * repair: root=rma_wait_for_progress cause=1 saves=measured
 * case: name=flush ranks=2 mpi=mpich
 * args: --delay-us 10000 --count 20 --variant flush
 * expect: finding=rma_wait_for_progress ranks=0 cause=1 function=MPI_Win_flush seconds=planted tolerance=10%
 * allow: load_imbalance wait_at_nxn
 * repair: root=rma_wait_for_progress cause=1 saves=measured
 * case: name=direct ranks=2 mpi=openmpi
 * args: --delay-us 10000 --count 20 --variant lock
 * expect: finding=load_imbalance cause=1
 * allow: wait_at_nxn
 * case: name=twin ranks=2 quick
 * args: --delay-us 10000 --count 20 --variant lock --twin
 * expect: none
 */
#include "skeleton.h"

static MPI_Win window;
static long *counter;

static void setup(void)
{
    MPI_Win_allocate(sizeof *counter, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &window);
    *counter = 0;
    if (variant_is("flush"))
        STAMP(MPI_Win_lock_all(0, window), (void)0);
}

/* Looks now and then whether a message has come, and so gives the MPI an opportunity to serve others. */
static void work_and_look(long us)
{
    enum { LOOKS = 10 };
    for (int n = 0, is_there; n < LOOKS; n++) {
        planted_delay(us / LOOKS);
        STAMP(MPI_Iprobe(0, 1, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE), (void)0);
    }
}

static void access_window(long value)
{
    if (!variant_is("flush"))
        STAMP(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window), ACQUIRE(1));
    STAMP(MPI_Put(&value, 1, MPI_LONG, 1, 0, 1, MPI_LONG, window), ACQUIRE(1));
    if (variant_is("flush"))
        STAMP(MPI_Win_flush(1, window), ACQUIRE(1));
    else
        STAMP(MPI_Win_unlock(1, window), (ACQUIRE(1), RELEASE(1)));
}

static void step(int i)
{
    double norm;
    long delay_us = i < 0 ? 0 : planted.delay_us;
    planted_work(planted.work_us);
    if (rank == 1) {
        if (planted.repaired)
            work_and_look(delay_us);
        else if (planted.twin)
            planted_work(450);
        else
            planted_delay(delay_us);
    } else {
        planted_work(500); /* rank 1 is at work by now */
        access_window(i);
        if (!planted.twin)
            planted_delay(delay_us / 2);
    }
    STAMP(MPI_Allreduce(&result, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), NXN(0));
    result += norm;
}

static void finish(void)
{
    if (variant_is("flush"))
        STAMP(MPI_Win_unlock_all(window), (void)0);
    MPI_Win_free(&window);
}
