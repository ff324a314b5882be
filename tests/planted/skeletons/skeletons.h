/* skeletons.h: what the skeletons of well-known codes share. A skeleton defines program(); its header says what a
 * person would say of its structure. Its computing takes microseconds: only the order of calls matters. */
#ifndef SKELETONS_H
#define SKELETONS_H

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, DOUBLES = 256 };

static int rank, size;
static double out[MOST][DOUBLES], in[MOST][DOUBLES];
static MPI_Request requests[2 * MOST];

static void program(int argc, char **argv);

/* So many microseconds of computing, about. */
static inline void work(int us)
{
    static volatile double sink = 1;
    for (long i = 0; i < us * 250L; i++)
        sink = sink * 1.0000001 + 1e-9;
}

/* The nth word of the command line as a number. */
static inline int number(int argc, char **argv, int nth, int otherwise)
{
    return nth < argc ? atoi(argv[nth]) : otherwise;
}

/* Where a rank is in a grid, the last axis fastest. */
static inline void place(int r, int axes, const int *dims, int *at)
{
    for (int a = axes - 1; a >= 0; a--) {
        at[a] = r % dims[a];
        r /= dims[a];
    }
}

/* The rank that is `step` further, or MPI_PROC_NULL over an end that is open. */
static inline int neighbour(int axes, const int *dims, int periodic, const int *step)
{
    int at[4], r = 0;
    place(rank, axes, dims, at);
    for (int a = 0; a < axes; a++) {
        int to = at[a] + step[a];
        if ((to < 0 || to >= dims[a]) && !periodic)
            return MPI_PROC_NULL;
        r = r * dims[a] + (to + dims[a]) % dims[a];
    }
    return r;
}

static inline int along(int axes, const int *dims, int periodic, int axis, int by)
{
    int step[4] = {0};
    step[axis] = by;
    return neighbour(axes, dims, periodic, step);
}

/* Ranks around: faces alone, or diagonals as well. Those over an open end are left out. */
static inline int around(int axes, const int *dims, int periodic, int diagonals, int *list)
{
    int n = 0, codes = 1;
    for (int a = 0; a < axes; a++)
        codes *= 3;
    for (int code = 0; code < codes; code++) {
        int step[4], moved = 0;
        for (int a = 0, c = code; a < axes; a++, c /= 3) {
            step[a] = c % 3 - 1;
            moved += step[a] != 0;
        }
        if (moved == 0 || (moved > 1 && !diagonals))
            continue;
        int to = neighbour(axes, dims, periodic, step);
        if (to != MPI_PROC_NULL && to != rank)
            list[n++] = to;
    }
    return n;
}

/* Receives first, then sends, then one wait for all. */
__attribute__((noinline, unused)) static void halo(int n, const int *list, int doubles)
{
    for (int i = 0; i < n; i++)
        MPI_Irecv(in[i], doubles, MPI_DOUBLE, list[i], 7, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < n; i++)
        MPI_Isend(out[i], doubles, MPI_DOUBLE, list[i], 7, MPI_COMM_WORLD, &requests[n + i]);
    MPI_Waitall(2 * n, requests, MPI_STATUSES_IGNORE);
}

/* A sum over all ranks. */
__attribute__((noinline, unused)) static double sum(double x)
{
    double all;
    MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int parameters[4] = {0};
    MPI_Bcast(parameters, 4, MPI_INT, 0, MPI_COMM_WORLD);
    program(argc, argv);
    MPI_Finalize();
    return 0;
}

#endif
