/* noise: computations of equal length, now and then interrupted by a thread that needs the core for a moment, as daemons
 * and services of the operating system do.
 *
 * Each rank has a core of its own and shares it with such a thread, which is awake for 4 % of the time. In the twin there is
 * no such thread.
 *
 * case: name=daemon ranks=2
 * args: --work-us 4000 --delay-us 3000 --count 400 --every 20
 * expect: finding=noise
 * allow: wait_at_nxn nxn_completion load_imbalance outlier warm_up
 * case: name=twin ranks=2
 * args: --work-us 4000 --delay-us 3000 --count 400 --every 20 --twin
 * expect: none
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "skeleton.h"

static long every;
static pthread_t thread;
static volatile int is_over;

/* The core of this rank: all its threads stay there. */
static void bind_to_own_core(void)
{
    cpu_set_t all, one;
    int nth = 0;
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all) && nth++ % size == rank % CPU_COUNT(&all)) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
}

static void *daemon_of_the_core(void *nothing)
{
    struct sched_param first = {1};
    /* Where it may, it goes before the rank; elsewhere the two take turns. */
    pthread_setschedparam(pthread_self(), SCHED_FIFO, &first);
    while (!is_over) {
        /* Ranks are not hit at the same time. */
        usleep(every * planted.work_us + rank * 1700);
        planted_burn(planted.delay_us);
    }
    return nothing;
}

static void setup(void)
{
    every = planted_long("--every", 20);
    bind_to_own_core();
    if (!planted.twin)
        pthread_create(&thread, NULL, daemon_of_the_core, NULL);
}

static void step(int i)
{
    double norm;
    planted_burn(i < 0 ? 0 : planted.work_us);
    STAMP(MPI_Allreduce(&result, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), NXN(0));
    result = norm / size + 1;
}

static void finish(void)
{
    is_over = 1;
    if (!planted.twin)
        pthread_join(thread, NULL);
}
