/* What halo2d.c (the solver) and halo2d_exchange.c (the ways to swap halos) share. */
#ifndef HALO2D_H
#define HALO2D_H

#include <mpi.h>

enum direction { NORTH, SOUTH, WEST, EAST, DIRECTIONS };

/* One rank's part of the domain. Both time levels live in one allocation, which is a
 * window in the RMA variants. `stride` is the same on every rank, also where the domain
 * does not divide evenly, so that an origin knows the layout of its target. */
struct block {
    MPI_Comm cart;
    int periodic;
    int neighbor[DIRECTIONS];     /* rank in cart, or MPI_PROC_NULL */
    int neighbor_rows, neighbor_cols; /* rows of the north, columns of the west neighbour */
    int rows, cols;               /* own cells, without halo */
    int stride;                   /* doubles from one row to the next */
    long level_len;               /* doubles in one time level */
    double *level[2];
    MPI_Win win;                  /* MPI_WIN_NULL unless the variant is one-sided */
    MPI_Datatype row, column;     /* `column` is an MPI_Type_vector */
};

struct exchange {
    const char *name;
    int one_sided;                /* needs block.win */
    void (*begin)(struct block *);
    void (*swap)(struct block *, int level); /* fill the halo of that time level */
    void (*end)(struct block *);
};

/* NULL when there is no such variant. */
const struct exchange *exchange_find(const char *name);

static inline double *cell(const struct block *b, int level, int row, int col)
{
    return b->level[level] + (long)row * b->stride + col;
}

#endif
