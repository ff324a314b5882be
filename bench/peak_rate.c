/* The rate of fused multiply-adds in registers: what `mpiscope bench arithmetic` is compared with.
 *
 *   gcc -O3 -march=native -o peak_rate bench/peak_rate.c && taskset -c 0 ./peak_rate
 *
 * gcc makes the instructions, also the fused ones, out of x * m + s on vectors. A sample is about 250 us after 1 ms of the same work, as there. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SAMPLES = 201 };

/* What is written here counts as used. */
volatile double sink;
/* Not known to the compiler: x becomes 1 - x and x again. */
volatile double factor = -1.0, summand = 1.0;

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * t.tv_sec + t.tv_nsec;
}

static int ascending(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static void print(const char *name, int bits, void (*loop)(long), double flop) {
    long steps = 1000;
    for (;;) {
        double begin = now_ns();
        loop(steps);
        if (now_ns() - begin > 250e3) break;
        steps *= 2;
    }
    double ns[SAMPLES];
    for (int s = 0; s < SAMPLES; s++) {
        for (double begin = now_ns(); now_ns() - begin < 1e6;) loop(1000);
        double begin = now_ns();
        loop(steps);
        ns[s] = (now_ns() - begin) / steps;
    }
    qsort(ns, SAMPLES, sizeof *ns, ascending);
    printf("%-6s %3d best %7.2f median %7.2f Gflop/s\n", name, bits, flop / ns[0], flop / ns[SAMPLES / 2]);
}

/* 12 chains, as many as 16 registers hold beside the two constants. */
#define LOOP(name, number, bits)                                                                           \
    typedef number name##_vector __attribute__((vector_size(bits / 8)));                                   \
    __attribute__((noipa)) static void name##_loop(long steps) {                                           \
        name##_vector m = (name##_vector){0} + (number)factor, s = (name##_vector){0} + (number)summand;   \
        name##_vector a = s * (number)0.25, b = s * (number)0.26, c = s * (number)0.27, d = s * (number)0.28, \
                      e = s * (number)0.29, f = s * (number)0.3, g = s * (number)0.31, h = s * (number)0.32, \
                      i = s * (number)0.33, j = s * (number)0.34, k = s * (number)0.35, l = s * (number)0.36; \
        for (long n = 0; n < steps; n++) {                                                                 \
            a = a * m + s; b = b * m + s; c = c * m + s; d = d * m + s;                                    \
            e = e * m + s; f = f * m + s; g = g * m + s; h = h * m + s;                                    \
            i = i * m + s; j = j * m + s; k = k * m + s; l = l * m + s;                                    \
        }                                                                                                  \
        name##_vector sum = a + b + c + d + e + f + g + h + i + j + k + l;                                 \
        sink = sum[0];                                                                                     \
    }

#define PRINT(name, number, bits) print(#number, bits, name##_loop, 2.0 * 12 * bits / 8 / sizeof(number))

LOOP(double_128, double, 128)
LOOP(single_128, float, 128)
#ifdef __AVX__
LOOP(double_256, double, 256)
LOOP(single_256, float, 256)
#endif
#ifdef __AVX512F__
LOOP(double_512, double, 512)
LOOP(single_512, float, 512)
#endif

int main(void) {
    PRINT(double_128, double, 128);
    PRINT(single_128, float, 128);
#ifdef __AVX__
    PRINT(double_256, double, 256);
    PRINT(single_256, float, 256);
#endif
#ifdef __AVX512F__
    PRINT(double_512, double, 512);
    PRINT(single_512, float, 512);
#endif
    return 0;
}
