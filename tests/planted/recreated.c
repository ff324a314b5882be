/* recreated: communicators or windows that are created in each step, used once, and freed again.
 *
 * Variant window: all ranks put a number into the window of the next rank. Variant communicator: all ranks reduce a number, with a
 * communicator that is created by MPI_Comm_dup. Variant split: the same in two halves. Each step does so several times, as if it called
 * a library. The twin creates them once. Calls that create and free are not stamped: stamps would take as long as some of them.
 *
 * case: name=window ranks=2 quick
 * args: --variant window --count 100 --times 5 --work-us 1000
 * expect: finding=recreated_objects
 * allow: wait_at_nxn nxn_completion wait_at_fence unexplained_mpi_time
 * repair: root=recreated_objects saves=measured args=--twin
 * case: name=communicator ranks=2 quick
 * args: --variant communicator --count 100 --times 30 --work-us 1000
 * expect: finding=recreated_objects
 * allow: wait_at_nxn nxn_completion unexplained_mpi_time
 * repair: root=recreated_objects saves=measured args=--twin
 * case: name=split ranks=4 mpi=openmpi
 * args: --variant split --count 100 --times 10 --work-us 1000
 * expect: finding=recreated_objects
 * allow: wait_at_nxn nxn_completion unexplained_mpi_time
 * repair: root=recreated_objects saves=measured args=--twin
 * case: name=window_twin ranks=2 quick
 * args: --variant window --count 100 --times 5 --work-us 1000 --twin
 * expect: none
 * allow: wait_at_fence
 * case: name=communicator_twin ranks=2
 * args: --variant communicator --count 100 --times 30 --work-us 1000 --twin
 * expect: none
 * allow: wait_at_nxn nxn_completion
 */
#include "skeleton.h"

static MPI_Comm comm;
static MPI_Win window;
static double *exposed;

static void create(void)
{
    if (variant_is("window"))
        MPI_Win_allocate(sizeof *exposed, sizeof *exposed, MPI_INFO_NULL, MPI_COMM_WORLD, &exposed, &window);
    else if (variant_is("communicator"))
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else if (variant_is("split"))
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
    else
        unknown_variant();
}

static void release(void)
{
    if (variant_is("window"))
        MPI_Win_free(&window);
    else
        MPI_Comm_free(&comm);
}

static void use(void)
{
    if (variant_is("window")) {
        double own = rank;
        STAMP(MPI_Win_fence(0, window), FENCE(0));
        MPI_Put(&own, 1, MPI_DOUBLE, (rank + 1) % size, 0, 1, MPI_DOUBLE, window);
        STAMP(MPI_Win_fence(0, window), FENCE(0));
        result += *exposed;
    } else {
        double own = rank, all;
        MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
        result += all;
    }
}

static long times;

static void setup(void)
{
    times = planted_long("--times", 1);
    if (planted.twin)
        create();
}

static void step(int i)
{
    (void)i;
    planted_work(planted.work_us);
    for (long at = 0; at < times; at++) {
        if (!planted.twin)
            create();
        use();
        if (!planted.twin)
            release();
    }
}

static void finish(void)
{
    if (planted.twin)
        release();
}
