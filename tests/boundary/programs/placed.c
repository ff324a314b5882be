/* What decides where ranks belong: placed WHAT ITERATIONS.
   neighbors    a periodic grid of two rows: 1000 B to each side
   collectives  MPI_Allreduce of 8 B, MPI_Bcast of 4000 B by rank 1
   rows         MPI_Alltoall of 2000 B in the columns of a grid of two rows, then 100 B to the other column */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char from[1 << 16], to[1 << 16];

static void compute(void) {
    double start = MPI_Wtime();
    while (MPI_Wtime() - start < 0.0005) {
    }
}

__attribute__((noinline)) static void in_columns(MPI_Comm column) {
    MPI_Alltoall(from, 2000, MPI_BYTE, to, 2000, MPI_BYTE, column);
}

__attribute__((noinline)) static void along_rows(int rank, int size) {
    int other = rank ^ 1;
    if (other < size)
        MPI_Sendrecv(from, 100, MPI_BYTE, other, 0, to, 100, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, iterations = argc > 2 ? atoi(argv[2]) : 10;
    const char *what = argc > 1 ? argv[1] : "rows";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(what, "neighbors") == 0) {
        int dims[] = {2, size / 2}, periods[] = {1, 1};
        MPI_Comm grid;
        MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
        for (int i = 0; i < iterations; i++)
            MPI_Neighbor_alltoall(from, 1000, MPI_BYTE, to, 1000, MPI_BYTE, grid);
    } else if (strcmp(what, "collectives") == 0) {
        double mine = rank, sum;
        for (int i = 0; i < iterations; i++) {
            MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            MPI_Bcast(from, 4000, MPI_BYTE, 1, MPI_COMM_WORLD);
        }
    } else {
        MPI_Comm column;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &column);
        for (int i = 0; i < iterations; i++) {
            compute();
            in_columns(column);
            compute();
            along_rows(rank, size);
        }
    }
    MPI_Finalize();
    return 0;
}
