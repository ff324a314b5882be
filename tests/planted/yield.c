/* yield.c: linked into the programs of MPICH's build. Debian's MPICH waits in UCX without giving way, so more
 * ranks than cores crawl; here a progress call that found nothing gives way, and naps after many of those.
 * With --spin ranks wait as Debian's
 * MPICH does. Where the MPI has no UCX nobody calls this. It is no part of what is measured. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <time.h>

unsigned ucp_worker_progress(void *worker);
/* Programs that have no planted.c, as those of tests/checked, always give way. */
extern int planted_spins __attribute__((weak));

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *);
    static unsigned in_vain;
    if (!real)
        real = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned found = real(worker);
    in_vain = found ? 0 : in_vain + 1;
    if (&planted_spins && planted_spins)
        return found;
    if (in_vain > 30)
        clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){0, 50000}, NULL);
    else if (in_vain)
        sched_yield();
    return found;
}
