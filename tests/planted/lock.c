/* lock: ranks wait for an exclusive lock that another rank holds.
 *
 * Both ranks update a counter of rank 0: lock, get, flush, a while with the lock held, put, unlock. The
 * twin holds the lock no longer than the update takes, and works outside of it; so does the repaired one.
 *
 * case: name=contended ranks=2 quick
 * args: --work-us 500
 * expect: finding=lock_contention seconds=planted tolerance=10%
 * allow: load_imbalance
 * repair: root=lock_contention saves=measured
 * case: name=twin ranks=2 quick
 * args: --work-us 500 --twin
 * expect: none
 */
#include "skeleton.h"

static MPI_Win window;
static long *counter;

static void setup(void)
{
    MPI_Win_allocate(rank == 0 ? sizeof *counter : 0, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter,
                     &window);
    if (rank == 0)
        *counter = 0;
    STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
}

static void step(int i)
{
    long value = 0, delay_us = i < 0 ? 0 : planted.delay_us;
    /* In the twin the ranks come to the lock in turns. */
    if (planted.twin && i == 0 && rank == 1)
        planted_work((planted.work_us + delay_us) / 2);
    planted_work(planted.work_us);
    if (planted.twin || planted.repaired)
        planted_work(delay_us);
    STAMP(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window), ACQUIRE(0));
    STAMP(MPI_Get(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, window), ACQUIRE(0));
    STAMP(MPI_Win_flush(0, window), ACQUIRE(0));
    if (!planted.twin && !planted.repaired)
        planted_delay(delay_us);
    value++;
    STAMP(MPI_Put(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, window), (void)0);
    STAMP(MPI_Win_unlock(0, window), RELEASE(0));
    result += value;
}

static void finish(void)
{
    MPI_Win_free(&window);
}
