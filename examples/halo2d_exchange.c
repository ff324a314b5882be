/* The halo exchanges of halo2d.c: the same four messages, eight ways.
 *
 * A message that travels in direction d carries tag d, leaves the edge row or column at
 * side d and arrives in the halo at the opposite side of the neighbour. Tags keep the two
 * messages apart when both neighbours are one rank (a periodic dimension of 1 or 2). */
#include "halo2d.h"

#include <stddef.h>
#include <string.h>

static const enum direction opposite[DIRECTIONS] = {SOUTH, NORTH, EAST, WEST};

/* The edge that is sent in direction d. */
static double *edge(const struct block *b, int level, enum direction d)
{
    switch (d) {
    case NORTH: return cell(b, level, 1, 1);
    case SOUTH: return cell(b, level, b->rows, 1);
    case WEST: return cell(b, level, 1, 1);
    default: return cell(b, level, 1, b->cols);
    }
}

/* The halo at side d. */
static double *halo(const struct block *b, int level, enum direction d)
{
    switch (d) {
    case NORTH: return cell(b, level, 0, 1);
    case SOUTH: return cell(b, level, b->rows + 1, 1);
    case WEST: return cell(b, level, 1, 0);
    default: return cell(b, level, 1, b->cols + 1);
    }
}

static MPI_Datatype type_of(const struct block *b, enum direction d)
{
    return d == NORTH || d == SOUTH ? b->row : b->column;
}

static void nothing(struct block *b) { (void)b; }

/* --- two-sided ------------------------------------------------------------------- */

static void swap_blocking(struct block *b, int level)
{
    for (int d = 0; d < DIRECTIONS; d++) {
        int from = opposite[d];
        MPI_Sendrecv(edge(b, level, d), 1, type_of(b, d), b->neighbor[d], d,
                     halo(b, level, from), 1, type_of(b, d), b->neighbor[from], d,
                     b->cart, MPI_STATUS_IGNORE);
    }
}

static void post_receives(struct block *b, int level, MPI_Request *requests)
{
    for (int d = 0; d < DIRECTIONS; d++)
        MPI_Irecv(halo(b, level, d), 1, type_of(b, d), b->neighbor[d], opposite[d], b->cart,
                  &requests[d]);
}

static void swap_irecv_send(struct block *b, int level)
{
    MPI_Request requests[DIRECTIONS];
    post_receives(b, level, requests);
    for (int d = 0; d < DIRECTIONS; d++)
        MPI_Send(edge(b, level, d), 1, type_of(b, d), b->neighbor[d], d, b->cart);
    MPI_Waitall(DIRECTIONS, requests, MPI_STATUSES_IGNORE);
}

static void swap_irecv_isend(struct block *b, int level)
{
    MPI_Request requests[2 * DIRECTIONS];
    post_receives(b, level, requests);
    for (int d = 0; d < DIRECTIONS; d++)
        MPI_Isend(edge(b, level, d), 1, type_of(b, d), b->neighbor[d], d, b->cart,
                  &requests[DIRECTIONS + d]);
    MPI_Waitall(2 * DIRECTIONS, requests, MPI_STATUSES_IGNORE);
}

/* --- persistent requests: one set for each time level ----------------------------- */

static MPI_Request persistent[2][2 * DIRECTIONS];

static void begin_persistent(struct block *b)
{
    for (int level = 0; level < 2; level++)
        for (int d = 0; d < DIRECTIONS; d++) {
            MPI_Recv_init(halo(b, level, d), 1, type_of(b, d), b->neighbor[d], opposite[d],
                          b->cart, &persistent[level][d]);
            MPI_Send_init(edge(b, level, d), 1, type_of(b, d), b->neighbor[d], d, b->cart,
                          &persistent[level][DIRECTIONS + d]);
        }
}

static void swap_persistent(struct block *b, int level)
{
    (void)b;
    MPI_Startall(2 * DIRECTIONS, persistent[level]);
    MPI_Waitall(2 * DIRECTIONS, persistent[level], MPI_STATUSES_IGNORE);
}

static void end_persistent(struct block *b)
{
    (void)b;
    for (int level = 0; level < 2; level++)
        for (int i = 0; i < 2 * DIRECTIONS; i++)
            MPI_Request_free(&persistent[level][i]);
}

/* --- neighbourhood collective -----------------------------------------------------
 * On the Cartesian communicator itself the order of the two messages between one pair of
 * ranks was left open before MPI-4. A distributed graph states it: the n-th edge to a rank
 * meets the n-th edge from it, and sources are listed in the opposite order. */

static MPI_Comm graph;
static int graph_degree;
static enum direction graph_out[DIRECTIONS], graph_in[DIRECTIONS];

static void begin_neighbor(struct block *b)
{
    int to[DIRECTIONS], from[DIRECTIONS], indegree = 0, outdegree = 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        if (b->neighbor[d] != MPI_PROC_NULL) {
            graph_out[outdegree] = d;
            to[outdegree++] = b->neighbor[d];
        }
        if (b->neighbor[opposite[d]] != MPI_PROC_NULL) {
            graph_in[indegree] = opposite[d];
            from[indegree++] = b->neighbor[opposite[d]];
        }
    }
    graph_degree = outdegree;
    MPI_Dist_graph_create_adjacent(b->cart, indegree, from, MPI_UNWEIGHTED, outdegree, to,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
}

static void swap_neighbor(struct block *b, int level)
{
    const int ones[DIRECTIONS] = {1, 1, 1, 1};
    MPI_Aint send_at[DIRECTIONS], recv_at[DIRECTIONS];
    MPI_Datatype send_type[DIRECTIONS], recv_type[DIRECTIONS];
    double *base = b->level[level];
    for (int i = 0; i < graph_degree; i++) {
        send_at[i] = (char *)edge(b, level, graph_out[i]) - (char *)base;
        recv_at[i] = (char *)halo(b, level, graph_in[i]) - (char *)base;
        send_type[i] = type_of(b, graph_out[i]);
        recv_type[i] = type_of(b, graph_in[i]);
    }
    MPI_Neighbor_alltoallw(base, ones, send_at, send_type, base, ones, recv_at, recv_type, graph);
}

static void end_neighbor(struct block *b)
{
    (void)b;
    MPI_Comm_free(&graph);
}

/* --- one-sided: every rank puts its edges into its neighbours' halos --------------- */

static void put_edge(struct block *b, int level, enum direction d)
{
    MPI_Aint at = level * b->level_len;
    switch (d) { /* the halo at the opposite side, in the neighbour's own extent */
    case NORTH: at += (MPI_Aint)(b->neighbor_rows + 1) * b->stride + 1; break;
    case SOUTH: at += 1; break;
    case WEST: at += b->stride + b->neighbor_cols + 1; break;
    default: at += b->stride; break;
    }
    MPI_Put(edge(b, level, d), 1, type_of(b, d), b->neighbor[d], at, 1, type_of(b, d), b->win);
}

static void begin_fence(struct block *b) { MPI_Win_fence(MPI_MODE_NOPRECEDE, b->win); }

static void swap_fence(struct block *b, int level)
{
    for (int d = 0; d < DIRECTIONS; d++)
        put_edge(b, level, d);
    MPI_Win_fence(MPI_MODE_NOSTORE, b->win);
}

static void end_fence(struct block *b) { MPI_Win_fence(MPI_MODE_NOSUCCEED, b->win); }

static MPI_Group peers;

static void begin_pscw(struct block *b)
{
    int ranks[DIRECTIONS], count = 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        int known = b->neighbor[d] == MPI_PROC_NULL;
        for (int i = 0; i < count; i++)
            known |= ranks[i] == b->neighbor[d];
        if (!known)
            ranks[count++] = b->neighbor[d];
    }
    MPI_Group all;
    MPI_Comm_group(b->cart, &all);
    MPI_Group_incl(all, count, ranks, &peers);
    MPI_Group_free(&all);
}

static void swap_pscw(struct block *b, int level)
{
    MPI_Win_post(peers, 0, b->win);
    MPI_Win_start(peers, 0, b->win);
    for (int d = 0; d < DIRECTIONS; d++)
        put_edge(b, level, d);
    MPI_Win_complete(b->win);
    MPI_Win_wait(b->win);
}

static void end_pscw(struct block *b)
{
    (void)b;
    MPI_Group_free(&peers);
}

/* One barrier for each exchange is enough: the level that is written was last read two
 * exchanges ago. The lock on the own window makes the arrived data visible to loads. */
static void swap_lock(struct block *b, int level)
{
    int self;
    for (int d = 0; d < DIRECTIONS; d++) {
        if (b->neighbor[d] == MPI_PROC_NULL)
            continue;
        MPI_Win_lock(MPI_LOCK_SHARED, b->neighbor[d], 0, b->win);
        put_edge(b, level, d);
        MPI_Win_unlock(b->neighbor[d], b->win);
    }
    MPI_Barrier(b->cart);
    MPI_Comm_rank(b->cart, &self);
    MPI_Win_lock(MPI_LOCK_SHARED, self, 0, b->win);
    MPI_Win_unlock(self, b->win);
}

static const struct exchange exchanges[] = {
    {"blocking", 0, nothing, swap_blocking, nothing},
    {"irecv_send", 0, nothing, swap_irecv_send, nothing},
    {"irecv_isend", 0, nothing, swap_irecv_isend, nothing},
    {"persistent", 0, begin_persistent, swap_persistent, end_persistent},
    {"neighbor", 0, begin_neighbor, swap_neighbor, end_neighbor},
    {"rma_fence", 1, begin_fence, swap_fence, end_fence},
    {"rma_pscw", 1, begin_pscw, swap_pscw, end_pscw},
    {"rma_lock", 1, nothing, swap_lock, nothing},
};

const struct exchange *exchange_find(const char *name)
{
    for (size_t i = 0; i < sizeof exchanges / sizeof exchanges[0]; i++)
        if (strcmp(exchanges[i].name, name) == 0)
            return &exchanges[i];
    return NULL;
}
