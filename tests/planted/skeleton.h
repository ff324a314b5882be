/* skeleton.h: the course of most planted programs: start together, set up, read parameters on
 * rank 0, warm up, iterate, reduce a result. A program defines setup(), step() and finish();
 * step(-1) is the warm-up and plants nothing. */
#ifndef PLANTED_SKELETON_H
#define PLANTED_SKELETON_H

#include "planted.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static const char *variant;
static double result;

static void setup(void);
static void step(int i);
static void finish(void);

/* Everybody works; late ranks take longer. A twin has everybody take longer. */
static inline void work(int i)
{
    planted_work(planted.work_us);
    if (i >= 0)
        planted_delay(planted_extra_us(rank, size));
}

static inline int variant_is(const char *name)
{
    return strcmp(variant, name) == 0;
}

static inline void *zeroed(size_t bytes)
{
    void *p = calloc(bytes ? bytes : 1, 1);
    if (!p) {
        fprintf(stderr, "planted: no memory: %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    memset(p, 1, bytes); /* pages now, not in the first transfer */
    return p;
}

/* A number for each rank: counts and displacements. */
static inline int *series(int first, int step)
{
    int *s = zeroed(size * sizeof *s);
    for (int r = 0; r < size; r++)
        s[r] = first + r * step;
    return s;
}

/* A program without this variant would plant nothing and be its own twin. */
static inline void unknown_variant(void)
{
    fprintf(stderr, "planted: no such variant: %s\n", variant);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char **argv)
{
    planted_start();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    planted_ready(rank, size);
    variant = planted_word("--variant", "");

    STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
    long parameters[4] = {planted.count, planted.work_us, planted.delay_us, planted.bytes};
    STAMP(MPI_Bcast(parameters, 4, MPI_LONG, 0, MPI_COMM_WORLD), FROM_ROOT(0, rank, 0));
    planted_first();
    setup();
    step(-1);
    STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
    planted_first();
    for (int i = 0; i < planted.count; i++)
        step(i);
    double sum = 0;
    STAMP(MPI_Reduce(&result, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD), TO_ROOT(0, rank, 0));
    planted_end();
    finish();
    MPI_Finalize();
    return 0;
}

#endif
