/* halo2d: Jacobi iterations on a two-dimensional grid with halo exchange.
 *
 *   halo2d [--variant V] [--nx N] [--ny N] [--iters N] [--every N] [--work K]
 *          [--slow-rank R] [--periodic]
 *
 *   V = blocking | irecv_send | irecv_isend | persistent | neighbor
 *     | rma_fence | rma_pscw | rma_lock            (default irecv_isend)
 *   --every N      iterations between two residuals (MPI_Allreduce), default 10
 *   --work K       every cell is computed K times, default 1
 *   --slow-rank R  this rank computes 20 times as much: the others wait for it
 *
 * Shows: halo exchange eight ways, waiting caused by one slow rank, a vector datatype
 * for the east and west halos. Residual (a maximum) and checksum (a sum of integers) do
 * not depend on the variant or on the number of ranks. */
#include "common.h"
#include "halo2d.h"

#include <math.h>
#include <stdint.h>

static int share(int n, int parts, int part) { return n / parts + (part < n % parts); }

static int first(int n, int parts, int part)
{
    int rest = n % parts;
    return part * (n / parts) + (part < rest ? part : rest);
}

/* The values at the start: a function of the global position only. */
static double initial(int row, int col)
{
    return sin(0.37 * row + 0.11) * cos(0.23 * col - 0.05) + 0.01 * ((row * 7 + col * 13) % 17);
}

static void sweep(const struct block *b, int from, int repeats)
{
    for (int k = 0; k < repeats; k++)
        for (int r = 1; r <= b->rows; r++) {
            const double *restrict u = cell(b, from, r, 0);
            double *restrict v = cell(b, 1 - from, r, 0);
            for (int c = 1; c <= b->cols; c++)
                v[c] = 0.25 * ((u[c - b->stride] + u[c + b->stride]) + (u[c - 1] + u[c + 1]));
        }
}

static double residual(const struct block *b)
{
    double local = 0, global;
    for (int r = 1; r <= b->rows; r++)
        for (int c = 1; c <= b->cols; c++)
            local = fmax(local, fabs(*cell(b, 0, r, c) - *cell(b, 1, r, c)));
    MPI_Allreduce(&local, &global, 1, MPI_DOUBLE, MPI_MAX, b->cart);
    return global;
}

static int64_t checksum(const struct block *b, int level)
{
    int64_t local = 0, global;
    for (int r = 1; r <= b->rows; r++)
        for (int c = 1; c <= b->cols; c++)
            local += llrint(*cell(b, level, r, c) * (double)(1LL << 36));
    MPI_Allreduce(&local, &global, 1, MPI_INT64_T, MPI_SUM, b->cart);
    return global;
}

static void block_create(struct block *b, int nx, int ny, int one_sided)
{
    int size, rank, dims[2] = {0, 0}, periods[2] = {b->periodic, b->periodic}, at[2];
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &b->cart);
    MPI_Comm_set_name(b->cart, "halo2d grid");
    MPI_Comm_rank(b->cart, &rank);
    MPI_Cart_coords(b->cart, rank, 2, at);
    MPI_Cart_shift(b->cart, 0, 1, &b->neighbor[NORTH], &b->neighbor[SOUTH]);
    MPI_Cart_shift(b->cart, 1, 1, &b->neighbor[WEST], &b->neighbor[EAST]);

    b->rows = share(ny, dims[0], at[0]);
    b->cols = share(nx, dims[1], at[1]);
    b->neighbor_rows = share(ny, dims[0], (at[0] + dims[0] - 1) % dims[0]);
    b->neighbor_cols = share(nx, dims[1], (at[1] + dims[1] - 1) % dims[1]);
    b->stride = share(nx, dims[1], 0) + 2;
    b->level_len = (long)b->stride * (share(ny, dims[0], 0) + 2);
    if (b->rows < 1 || b->cols < 1) {
        fprintf(stderr, "halo2d: %d x %d cells are too few for %d x %d ranks\n", nx, ny, dims[1], dims[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }

    MPI_Aint bytes = 2 * b->level_len * (MPI_Aint)sizeof(double);
    b->win = MPI_WIN_NULL;
    if (one_sided)
        MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, b->cart, &b->level[0], &b->win);
    else
        MPI_Alloc_mem(bytes, MPI_INFO_NULL, &b->level[0]);
    b->level[1] = b->level[0] + b->level_len;
    memset(b->level[0], 0, bytes);

    MPI_Type_contiguous(b->cols, MPI_DOUBLE, &b->row);
    MPI_Type_vector(b->rows, 1, b->stride, MPI_DOUBLE, &b->column);
    MPI_Type_commit(&b->row);
    MPI_Type_commit(&b->column);

    int row0 = first(ny, dims[0], at[0]), col0 = first(nx, dims[1], at[1]);
    for (int r = 1; r <= b->rows; r++)
        for (int c = 1; c <= b->cols; c++)
            *cell(b, 0, r, c) = initial(row0 + r, col0 + c);
    MPI_Barrier(b->cart); /* nobody's halo is written before it is cleared */
}

static void block_free(struct block *b)
{
    MPI_Type_free(&b->row);
    MPI_Type_free(&b->column);
    if (b->win != MPI_WIN_NULL)
        MPI_Win_free(&b->win);
    else
        MPI_Free_mem(b->level[0]);
    MPI_Comm_free(&b->cart);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, nx = opt_long(argc, argv, "--nx", 200), ny = opt_long(argc, argv, "--ny", 160);
    int iters = opt_long(argc, argv, "--iters", 100), every = opt_long(argc, argv, "--every", 10);
    int work = opt_long(argc, argv, "--work", 1), slow = opt_long(argc, argv, "--slow-rank", -1);
    const char *name = opt_str(argc, argv, "--variant", "irecv_isend");
    const struct exchange *exchange = exchange_find(name);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!exchange || every < 1 || iters < 0 || work < 1) {
        if (rank == 0)
            fprintf(stderr, "halo2d: bad arguments; the top of halo2d.c lists them\n");
        MPI_Finalize();
        return 2;
    }
    if (rank == slow)
        work *= 20;

    struct block b = {.periodic = opt_flag(argc, argv, "--periodic")};
    block_create(&b, nx, ny, exchange->one_sided);
    exchange->begin(&b);
    double start = MPI_Wtime(), res = 0, before = INFINITY;
    for (int i = 0; i < iters; i++) {
        exchange->swap(&b, i % 2);
        sweep(&b, i % 2, work);
        if ((i + 1) % every == 0) {
            res = residual(&b);
            CHECK(res <= before); /* a Jacobi sweep is an average: changes never grow */
            before = res;
        }
    }
    double elapsed = MPI_Wtime() - start;
    exchange->end(&b);
    int64_t sum = checksum(&b, iters % 2);
    block_free(&b);

    int failures;
    MPI_Allreduce(&check_failures, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        fprintf(stderr, "halo2d: %s: %.3f s\n", name, elapsed);
        printf("halo2d residual %.17g checksum %lld %s\n", res, (long long)sum, failures ? "FAILED" : "OK");
    }
    MPI_Finalize();
    return failures != 0;
}
