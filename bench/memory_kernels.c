/* The rates of STREAM's loops and of a read, by working set: what `mpiscope bench memory` is compared with.
 *
 *   gcc -O3 -march=native -o memory_kernels bench/memory_kernels.c && taskset -c 0 ./memory_kernels 24K 384K 12M 96M
 *
 * The counting of bytes is STREAM's, the arrays share the working set, and a sample is about 250 us, as there. gcc makes a
 * call of memcpy out of copy. read needs -ffast-math to be a vector loop, which is given for this function only. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { SAMPLES = 41 };

/* What is written here counts as used. */
volatile double sink;

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * t.tv_sec + t.tv_nsec;
}

__attribute__((noipa, optimize("O3", "fast-math")))
static void read_all(double *restrict c, const double *restrict a, const double *restrict b, long n) {
    double sum = 0;
    for (long i = 0; i < n; i++) sum += a[i];
    sink = sum;
}
__attribute__((noipa))
static void copy(double *restrict c, const double *restrict a, const double *restrict b, long n) {
    for (long i = 0; i < n; i++) c[i] = a[i];
}
__attribute__((noipa))
static void scale(double *restrict c, const double *restrict a, const double *restrict b, long n) {
    for (long i = 0; i < n; i++) c[i] = 3.0 * a[i];
}
__attribute__((noipa))
static void add(double *restrict c, const double *restrict a, const double *restrict b, long n) {
    for (long i = 0; i < n; i++) c[i] = a[i] + b[i];
}
__attribute__((noipa))
static void triad(double *restrict c, const double *restrict a, const double *restrict b, long n) {
    for (long i = 0; i < n; i++) c[i] = a[i] + 3.0 * b[i];
}

static const struct {
    const char *name;
    int arrays;
    void (*pass)(double *restrict, const double *restrict, const double *restrict, long);
} kernels[] = {{"read", 1, read_all}, {"copy", 2, copy}, {"scale", 2, scale}, {"add", 3, add}, {"triad", 3, triad}};

static int ascending(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    for (int at = 1; at < argc; at++) {
        char *end;
        size_t bytes = strtoul(argv[at], &end, 10);
        bytes <<= *end == 'K' ? 10 : *end == 'M' ? 20 : 0;
        size_t room = bytes + (2 << 20);
        char *mapped = mmap(0, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED) return 1;
        madvise(mapped, room, MADV_NOHUGEPAGE);
        double *start = (double *)(((size_t)mapped + (2 << 20) - 1) & ~(size_t)((2 << 20) - 1));
        for (size_t i = 0; i < bytes / 8; i++) start[i] = 1.0;
        for (int k = 0; k < 5; k++) {
            long n = bytes / 8 / kernels[k].arrays, passes = 1;
            /* The same order as there: a, c, b. */
            double *a = start, *c = kernels[k].arrays > 1 ? a + n : a, *b = kernels[k].arrays > 2 ? c + n : a;
            for (;;) {
                double begin = now_ns();
                for (long i = 0; i < passes; i++) kernels[k].pass(c, a, b, n);
                if (now_ns() - begin > 250e3) break;
                passes *= 2;
            }
            double ns[SAMPLES];
            for (int s = 0; s < SAMPLES; s++) {
                double begin = now_ns();
                for (long i = 0; i < passes; i++) kernels[k].pass(c, a, b, n);
                ns[s] = (now_ns() - begin) / passes;
            }
            qsort(ns, SAMPLES, sizeof *ns, ascending);
            printf("%-6s %6s best %7.2f median %7.2f GB/s\n", kernels[k].name, argv[at], bytes / ns[0], bytes / ns[SAMPLES / 2]);
        }
        munmap(mapped, room);
    }
    return 0;
}
