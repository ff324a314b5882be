/* libmpicount.so: counts the MPI calls of a program, to check mpiscope against.
 *
 *   MPICOUNT_OUT=out LD_PRELOAD=libmpicount.so ./program        (on every rank)
 *
 * Each rank writes out.<rank>, lines `MPI_Send 123` in alphabetical order, when
 * MPI_Finalize returns and again at exit, also without MPI_Finalize. A program that is
 * killed by a signal or ends by _exit leaves no file. Without MPICOUNT_OUT nothing is
 * written.
 *
 * Only calls from the program count, not those that an MPI library makes to itself: a
 * thread-local depth distinguishes the two. What the program calls from inside its own
 * callbacks (a user-made MPI_Op, attribute functions, error handlers) is at a depth too,
 * but returns into the program's main executable; it is counted apart and written as
 * `MPI_Comm_rank/callback 5`.
 *
 * Fortran procedures are forwarded without a look at their arguments: every one takes
 * addresses (and, hidden at the end, string lengths), so passing on more words than there
 * are is harmless in the calling conventions of x86-64 and AArch64, where the caller
 * cleans up. Therefore one shape of wrapper fits all of them.
 *
 * Not counted: MPI_T_*, functions the header makes macros (MPI_Aint_add in Open MPI,
 * handle conversions in MPICH), and Fortran symbols of other spellings (MPI_SEND). It is
 * no part of mpiscope, and not to be preloaded in front of it: it calls PMPI_* and hides the
 * calls from whoever comes after it. Except libmpicount_chain.so, the same counter built
 * to call the next MPI_* instead: preloaded before mpiscope's library, it counts the calls of the
 * very run that is recorded, whose number may depend on time. */
#define _GNU_SOURCE
#include "counter.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local int depth;

static uintptr_t program_first, program_last; /* addresses of the main executable */

static int find_program(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size, (void)unused;
    program_first = UINTPTR_MAX;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t at = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD)
            continue;
        program_first = at < program_first ? at : program_first;
        program_last = at + segment->p_memsz > program_last ? at + segment->p_memsz : program_last;
    }
    return 1; /* the main executable comes first; no more */
}

__attribute__((constructor)) static void begin(void) { dl_iterate_phdr(find_program, NULL); }

void count_enter(int index, const void *caller)
{
    if (depth++ == 0)
        atomic_fetch_add_explicit(&counts[index].direct, 1, memory_order_relaxed);
    else if ((uintptr_t)caller >= program_first && (uintptr_t)caller < program_last)
        atomic_fetch_add_explicit(&counts[index].callback, 1, memory_order_relaxed);
}

void count_leave(void) { depth--; }

int MPI_Pcontrol(const int level, ...)
{
    count_enter(index_of_MPI_Pcontrol, __builtin_return_address(0));
    int result = NEXT(PMPI_Pcontrol, MPI_Pcontrol)(level); /* no library takes more arguments than the level */
    count_leave();
    return result;
}

void *count_next(const char *symbol)
{
    void *found = dlsym(RTLD_NEXT, symbol);
    if (!found) {
        fprintf(stderr, "libmpicount: no %s in this MPI\n", symbol);
        abort();
    }
    return found;
}

/* From the launcher, so that no MPI call is needed, before MPI_Init and after the end. */
static const char *rank_text(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (getenv(variables[i]))
            return getenv(variables[i]);
    return "0";
}

/* Runs at exit too, as a destructor rather than by atexit: after the program's own. A
 * process that made no MPI call (a launcher, a shell) writes nothing. */
__attribute__((destructor)) void count_report(void)
{
    const char *prefix = getenv("MPICOUNT_OUT");
    char path[4096];
    long total = 0;
    for (int i = 0; i < count_names; i++)
        total += counts[i].direct + counts[i].callback;
    if (!prefix || total == 0)
        return;
    snprintf(path, sizeof path, "%s.%s", prefix, rank_text());
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return;
    }
    for (int i = 0; i < count_names; i++) {
        if (counts[i].direct)
            fprintf(file, "%s %ld\n", count_name[i], (long)counts[i].direct);
        if (counts[i].callback)
            fprintf(file, "%s/callback %ld\n", count_name[i], (long)counts[i].callback);
    }
    fclose(file);
}
