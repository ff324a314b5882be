/* What a load costs of a program that is compiled with -fsanitize=thread.
 *
 *   accesses CASE     CASE: none apart beside     what is in flight meanwhile:
 *                     nothing; one receive on each side of what is read; the second of them in the same page
 *
 * Thread CPU time, 20 batches of a million loads after one that is not counted; prints: CASE loads median-ns-a-load */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 20, LOADS = 1000000, PAGE = 4096, WORDS = 256 };

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "none";
    char *memory = aligned_alloc(PAGE, 3 * PAGE);
    memset(memory, 0, 3 * PAGE);
    long *words = (long *)(memory + PAGE), sum = 0;
    int beside = !strcmp(what, "beside"), flights = strcmp(what, "none") ? 2 : 0;
    char *at[2] = {memory, beside ? memory + PAGE + WORDS * sizeof(long) : memory + 2 * PAGE};
    MPI_Request requests[2];
    for (int i = 0; i < flights; i++)
        MPI_Irecv(at[i], 64, MPI_BYTE, 0, i, MPI_COMM_SELF, &requests[i]);
    double times[BATCHES];
    for (int batch = -1; batch < BATCHES; batch++) {
        double begun = cpu_ns();
        for (int i = 0; i < LOADS; i++) {
            sum += words[i % WORDS];
            __asm__ volatile("" : "+r"(sum) : : "memory");
        }
        if (batch >= 0)
            times[batch] = (cpu_ns() - begun) / LOADS;
    }
    char out[64] = {0};
    for (int i = 0; i < flights; i++)
        MPI_Send(out, 64, MPI_BYTE, 0, i, MPI_COMM_SELF);
    MPI_Waitall(flights, requests, MPI_STATUSES_IGNORE);
    qsort(times, BATCHES, sizeof times[0], ascending);
    printf("%s %d %.3f\n", what, LOADS, times[BATCHES / 2]);
    free(memory);
    MPI_Finalize();
    return 0;
}
