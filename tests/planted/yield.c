/* yield.c: linked into the programs of MPICH's build. Debian's MPICH waits in UCX without giving way, so more
 * ranks than cores crawl; here a progress call that found nothing to do gives way. Where the MPI has no
 * UCX nobody calls this. It is no part of what is measured. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *);
    if (!real)
        real = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned found = real(worker);
    if (found == 0)
        sched_yield();
    return found;
}
