/* A long is received as MPI_INT, among much that only looks wrong.
 *
 * ranks: 2
 * flags: -O0
 * expect: argument.variable-type
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"
#include <complex.h>
#include <stddef.h>
#include <stdint.h>

static struct cell {
    int kind;
    double place[3];
    char name[8];
} cells[4];

static struct tail {
    int n;
    int more[];
} tail = {3, {1, 2, 3}};

static double complex waves[4];
static char memory[256] __attribute__((aligned(16)));
static union {
    double d[4];
    int i[8];
} either;

/* The same memory is something else in each block. */
static void blocks(void)
{
    {
        double first[8] = {0};
        MPI_Bcast(first, 8, MPI_DOUBLE, 0, WORLD);
    }
    {
        int second[16] = {0};
        MPI_Bcast(second, 16, MPI_INT, 0, WORLD);
    }
    MPI_Bcast((int[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10, MPI_INT, 0, WORLD);
}

/* Lengths that are only known now, and a part of another function's array. */
static void parts(int n, double *row)
{
    float own[n];
    memset(own, 0, sizeof own);
    MPI_Bcast(own, n, MPI_FLOAT, 0, WORLD);
    MPI_Bcast(row + 2, 4, MPI_DOUBLE, 0, WORLD);
}

static void program(void)
{
    enum { RED, GREEN } colour = GREEN;
    unsigned int bits = 3;
    long long many = 5;
    void *address = &bits;
    struct {
        double x, y, z;
    } point = {1, 2, 3};
    double row[6] = {0}, matrix[3][4] = {{0}};
    MPI_Datatype column, cell;
    int lengths[3] = {1, 3, 8};
    MPI_Aint places[3] = {0, offsetof(struct cell, place), offsetof(struct cell, name)};
    MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, packed;

    MPI_Bcast(&colour, 1, MPI_INT, 0, WORLD);
    MPI_Bcast(&bits, 1, MPI_INT32_T, 0, WORLD);
    MPI_Bcast(&many, 1, MPI_LONG, 0, WORLD);
    MPI_Bcast(&many, 8, MPI_BYTE, 0, WORLD);
    MPI_Bcast(&address, 1, MPI_AINT, 0, WORLD);
    MPI_Bcast(&point, 3, MPI_DOUBLE, 0, WORLD);
    MPI_Bcast(&point.y, 2, MPI_DOUBLE, 0, WORLD);
    MPI_Bcast(waves, 8, MPI_DOUBLE, 0, WORLD);
    MPI_Bcast(&waves[1], 3, MPI_C_DOUBLE_COMPLEX, 0, WORLD);
    MPI_Bcast(memory, 32, MPI_DOUBLE, 0, WORLD);
    MPI_Bcast(&either, 8, MPI_INT, 0, WORLD);
    MPI_Bcast(&either, 4, MPI_DOUBLE, 0, WORLD);
    MPI_Bcast(&tail, 4, MPI_INT, 0, WORLD);
    MPI_Bcast(tail.more, 3, MPI_INT, 0, WORLD);
    MPI_Bcast(cells[2].place, 3, MPI_DOUBLE, 0, WORLD);
    MPI_Type_vector(3, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Bcast(&matrix[0][3], 1, column, 0, WORLD);
    MPI_Type_create_struct(3, lengths, places, types, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(struct cell), &cell);
    MPI_Type_commit(&cell);
    MPI_Bcast(cells, 4, cell, 0, WORLD);
    MPI_Bcast(&cells[1], 3, cell, 0, WORLD);
    blocks();
    parts(5, row);
    MPI_Type_free(&column);
    MPI_Type_free(&packed);
    MPI_Type_free(&cell);

    long length = 0;
    int sent = 4;
    if (rank == 0)
        MPI_Send(&sent, 1, MPI_INT, 1, 0, WORLD);
    else
        MPI_Recv(TWIN((void *)&length, &sent), 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    use(&length);
}
