/* halo.h: heat in a plate, on a grid of ranks, with halos exchanged by requests. A program that includes it says with
 * `#define MISTAKE NAME` which one of the mistakes below its wrong twin makes; the right twin makes none. */
#include "../checked.h"
#include <math.h>

/* Whether this program makes the mistake: `#if IS(TAG)`. */
#define TAG 1
#define ROOM 2
#define TYPE 3
#define WAIT 4
#define EARLY 5
#define RESIDUAL 6
#define LEAK 7
#define COMMIT 8
#define BLOCKING 9
#define SHARED 10
#define OVERLAP 11
#ifdef RIGHT
#define IS(mistake) 0
#else
#define IS(mistake) (MISTAKE == mistake)
#endif

enum { UP, DOWN, LEFT, RIGHT_SIDE, SIDES };

/* A block of the plate with a border of one element around it. */
struct block {
    int rows, columns;
    double *now, *next;
    int neighbour[SIDES];
    MPI_Comm grid;
    MPI_Datatype column;
};

static inline double *at(double *field, const struct block *b, int row, int column)
{
    return field + row * (b->columns + 2) + column;
}

static void open_block(struct block *b, int rows, int columns)
{
    int dims[2] = {0, 0}, periods[2] = {0, 0}, coords[2], here;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(WORLD, 2, dims, periods, 0, &b->grid);
    MPI_Comm_rank(b->grid, &here);
    MPI_Cart_coords(b->grid, here, 2, coords);
    MPI_Cart_shift(b->grid, 0, 1, &b->neighbour[UP], &b->neighbour[DOWN]);
    MPI_Cart_shift(b->grid, 1, 1, &b->neighbour[LEFT], &b->neighbour[RIGHT_SIDE]);
    b->rows = rows / dims[0];
    b->columns = columns / dims[1];
    b->now = calloc((b->rows + 2) * (b->columns + 2), sizeof(double));
    b->next = calloc((b->rows + 2) * (b->columns + 2), sizeof(double));
    if (coords[0] == 0)
        for (int column = 0; column < b->columns + 2; column++)
            *at(b->now, b, 0, column) = *at(b->next, b, 0, column) = 100;
    MPI_Type_vector(b->rows, 1, b->columns + 2, MPI_DOUBLE, &b->column); /* WRONG: halo_leak */
#if !IS(COMMIT)
    MPI_Type_commit(&b->column);
#endif
}

static void close_block(struct block *b)
{
    free(b->now);
    free(b->next);
#if !IS(LEAK)
    MPI_Type_free(&b->column);
#endif
    MPI_Comm_free(&b->grid);
}

#if IS(BLOCKING)
/* Everybody sends to all sides first. */
static void exchange(struct block *b)
{
    double *f = b->now;
    int last = b->rows, edge = b->columns;
    MPI_Send(at(f, b, 1, 1), edge, MPI_DOUBLE, b->neighbour[UP], 1, b->grid); /* WRONG: halo_blocking */
    MPI_Send(at(f, b, last, 1), edge, MPI_DOUBLE, b->neighbour[DOWN], 2, b->grid); /* WRONG: halo_blocking */
    MPI_Send(at(f, b, 1, 1), 1, b->column, b->neighbour[LEFT], 3, b->grid); /* WRONG: halo_blocking */
    MPI_Send(at(f, b, 1, edge), 1, b->column, b->neighbour[RIGHT_SIDE], 4, b->grid); /* WRONG: halo_blocking */
    MPI_Recv(at(f, b, last + 1, 1), edge, MPI_DOUBLE, b->neighbour[DOWN], 1, b->grid, MPI_STATUS_IGNORE);
    MPI_Recv(at(f, b, 0, 1), edge, MPI_DOUBLE, b->neighbour[UP], 2, b->grid, MPI_STATUS_IGNORE);
    MPI_Recv(at(f, b, 1, edge + 1), 1, b->column, b->neighbour[RIGHT_SIDE], 3, b->grid, MPI_STATUS_IGNORE);
    MPI_Recv(at(f, b, 1, 0), 1, b->column, b->neighbour[LEFT], 4, b->grid, MPI_STATUS_IGNORE);
}
#else
static void exchange(struct block *b)
{
    double *f = b->now;
    int last = b->rows, edge = b->columns, *to = b->neighbour;
    int room = IS(ROOM) ? edge - 1 : edge;
    int tag = IS(TAG) ? 5 : 4;
    int below = IS(OVERLAP) ? last : last + 1;
    MPI_Datatype kind = IS(TYPE) ? MPI_LONG : MPI_DOUBLE;
    MPI_Request all[8];
    MPI_Irecv(at(f, b, below, 1), room, MPI_DOUBLE, to[DOWN], 1, b->grid, &all[0]); /* WRONG: halo_room, halo_overlap */
    MPI_Irecv(at(f, b, 0, 1), edge, kind, to[UP], 2, b->grid, &all[1]); /* WRONG: halo_type */
    MPI_Irecv(at(f, b, 1, edge + 1), 1, b->column, to[RIGHT_SIDE], 3, b->grid, &all[2]); /* WRONG: halo_commit */
    MPI_Irecv(at(f, b, 1, 0), 1, b->column, to[LEFT], tag, b->grid, &all[3]);
    MPI_Isend(at(f, b, 1, 1), edge, MPI_DOUBLE, to[UP], 1, b->grid, &all[4]); /* WRONG: halo_room */
    MPI_Isend(at(f, b, last, 1), edge, MPI_DOUBLE, to[DOWN], 2, b->grid, &all[5]); /* WRONG: halo_early, halo_type, halo_overlap */
    MPI_Isend(at(f, b, 1, 1), 1, b->column, to[LEFT], 3, b->grid, &all[6]);
    MPI_Isend(at(f, b, 1, edge), 1, b->column, to[RIGHT_SIDE], 4, b->grid, &all[7]); /* WRONG: halo_wait */
#if IS(EARLY)
    /* The last row is being sent. */
    *at(f, b, last, 2) += 1;
    use(f);
#endif
    MPI_Waitall(IS(WAIT) ? 7 : 8, all, MPI_STATUSES_IGNORE); /* WRONG: halo_tag, halo_early, halo_room */
}
#endif

/* The largest change. */
static double relax(struct block *b)
{
    double change = 0;
    for (int row = 1; row <= b->rows; row++)
        for (int column = 1; column <= b->columns; column++) {
            double value = 0.25 * (*at(b->now, b, row - 1, column) + *at(b->now, b, row + 1, column)
                + *at(b->now, b, row, column - 1) + *at(b->now, b, row, column + 1));
            change = fmax(change, fabs(value - *at(b->now, b, row, column)));
            *at(b->next, b, row, column) = value;
        }
    double *old = b->now;
    b->now = b->next;
    b->next = old;
    return change;
}

static void program(void)
{
    struct block b;
    double change = 1, most = 1, heat = 0, sum = 0;
    open_block(&b, 24, 32);
    for (int step = 0; step < 10 && most > 1e-3; step++) {
        exchange(&b);
        change = relax(&b);
#if IS(RESIDUAL)
        /* A rank far from the heat has nothing to tell, and leaves the reduction out. */
        if (change < 1e-9)
            continue;
#endif
#if IS(SHARED)
        MPI_Allreduce(&change, &change, 1, MPI_DOUBLE, MPI_MAX, b.grid); /* WRONG: halo_shared */
        most = change;
#else
        MPI_Allreduce(&change, &most, 1, MPI_DOUBLE, MPI_MAX, b.grid); /* WRONG: halo_residual */
#endif
    }
    for (int row = 1; row <= b.rows; row++)
        for (int column = 1; column <= b.columns; column++)
            heat += *at(b.now, &b, row, column);
    MPI_Reduce(&heat, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, b.grid); /* WRONG: halo_residual */
    use(&sum);
    close_block(&b);
}
