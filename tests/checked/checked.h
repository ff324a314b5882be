/* checked.h: the frame of the checked programs. Each defines `program`, which is wrong, or with -DRIGHT right; main
 * sets up and ends MPI around it. A program with `OWN_MAIN` does that itself. */
#ifndef CHECKED_H
#define CHECKED_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What differs between the twins, where it is an expression; elsewhere #ifdef RIGHT. */
#ifdef RIGHT
#define TWIN(wrong, right) right
#else
#define TWIN(wrong, right) wrong
#endif

#define WORLD MPI_COMM_WORLD

static int rank __attribute__((unused)), size __attribute__((unused));

/* Tells run.py when this rank was last known to be on its way: what hangs hangs from the last such moment on. */
static inline void stamp(void)
{
    const char *place = getenv("CHECKED_OUT");
    struct timespec now;
    char path[4096];
    if (!place)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(path, sizeof path, "%s/stamp.%d", place, rank);
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file, "%lld\n", now.tv_sec * 1000000000LL + now.tv_nsec);
        fclose(file);
    }
}

/* Sleeps: stands for computation while others already hang. */
static inline void work_ms(int ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

/* Sleeps so that another rank comes first; what follows may be what hangs. */
static inline void pause_ms(int ms)
{
    work_ms(ms);
    stamp();
}

/* Keeps what was computed. */
static inline void use(const void *data)
{
    __asm__ volatile("" : : "r"(data) : "memory");
}

#ifndef OWN_MAIN
static void program(void);

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    stamp();
    program();
    MPI_Finalize();
    return 0;
}
#endif

#endif
