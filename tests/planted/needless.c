/* needless: MPI_Comm_rank, MPI_Comm_size and MPI_Wtime in the innermost loop.
 *
 * Each step adds up numbers that depend on the rank, the size and the time. The twin asks once.
 *
 * case: name=hot_loop ranks=2 quick
 * args: --count 20 --calls 20000
 * expect: finding=needless_calls
 * repair: root=needless_calls saves=measured args=--twin
 * case: name=twin ranks=2 quick
 * args: --count 20 --calls 20000 --twin
 * expect: none
 */
#include "skeleton.h"

static long calls;

static void setup(void)
{
    calls = planted_long("--calls", 10000);
}

static double asked_each_time(void)
{
    double sum = 0;
    for (long i = 0; i < calls; i++) {
        int r, n;
        MPI_Comm_rank(MPI_COMM_WORLD, &r);
        MPI_Comm_size(MPI_COMM_WORLD, &n);
        sum += (double)r / n + MPI_Wtime() * 1e-9;
    }
    return sum;
}

static double asked_once(void)
{
    double sum = 0;
    int r, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    double now = MPI_Wtime();
    for (long i = 0; i < calls; i++)
        sum += (double)r / n + now * 1e-9;
    return sum;
}

static void step(int i)
{
    double all;
    planted_work(i < 0 ? 0 : planted.work_us);
    result += planted.twin ? asked_once() : asked_each_time();
    if (i % 5 == 4)
        STAMP(MPI_Allreduce(&result, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), NXN(0));
}

static void finish(void) {}
