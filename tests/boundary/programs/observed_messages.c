/* Preloaded into a program under MPICH: writes how many bytes each message has that a rank sends by UCX, in their order, to the file
 * OBSERVED.RANK. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *file(void)
{
    static FILE *opened;
    const char *rank = getenv("PMI_RANK"), *path = getenv("OBSERVED");
    char name[4096];
    if (!opened && rank && path) {
        snprintf(name, sizeof name, "%s.%s", path, rank);
        opened = fopen(name, "w");
    }
    return opened;
}

void announce(const char *function, int bytes)
{
    if (file()) {
        fprintf(file(), "= %s %d\n", function, bytes);
        fflush(file());
    }
}

/* Other versions of sending end in this one. */
void *ucp_tag_send_nbx(void *to, void *data, long bytes, long tag, void *details)
{
    static void *(*own)(void *, void *, long, long, void *);
    if (!own)
        own = (void *(*)(void *, void *, long, long, void *))dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
    if (file())
        fprintf(file(), "%ld\n", bytes);
    return own(to, data, bytes, tag, details);
}
