/* callmix, part 2: collectives. The unit is one int for each rank, in the v and w forms
 * rank + 1 ints from each rank. Roots are the last rank. */
#include "callmix.h"

static int out[MAX_RANKS * (MAX_RANKS + 1)], in[MAX_RANKS * (MAX_RANKS + 1)];
static int counts[MAX_RANKS], displs[MAX_RANKS], mine[MAX_RANKS], mine_at[MAX_RANKS];
static int byte_at[MAX_RANKS], mine_byte_at[MAX_RANKS];
static MPI_Datatype ints[MAX_RANKS];
static MPI_Comm world;
static int rank, size, root, triangle;

static void prepare(const struct ring *r)
{
    world = MPI_COMM_WORLD;
    rank = r->rank;
    size = r->size;
    root = size - 1;
    triangle = size * (size + 1) / 2;
    for (int i = 0, sum = 0; i < size; i++) {
        counts[i] = i + 1;                     /* what comes from rank i in v and w forms */
        displs[i] = sum;
        mine[i] = rank + 1;                    /* what goes to rank i */
        mine_at[i] = i * (rank + 1);
        byte_at[i] = sum * (int)sizeof(int);
        mine_byte_at[i] = mine_at[i] * (int)sizeof(int);
        ints[i] = MPI_INT;
        sum += i + 1;
    }
}

static void fresh(void)
{
    for (int i = 0; i < MAX_RANKS * (MAX_RANKS + 1); i++) {
        out[i] = rank + 1;
        in[i] = 0;
    }
}

/* in[] holds rank + 1 once from every rank. */
static int once_each(void)
{
    int good = 1;
    for (int i = 0; i < size; i++)
        good &= in[i] == i + 1;
    return good;
}

/* in[] holds rank + 1 as many times from every rank. */
static int counted(void)
{
    int good = 1;
    for (int i = 0; i < size; i++)
        for (int k = 0; k <= i; k++)
            good &= in[displs[i] + k] == i + 1;
    return good;
}

/* The same list of collectives, blocking and nonblocking: BLOCKING(Bcast, bcast, ...) makes
 * MPI_Bcast(...), NONBLOCKING(Bcast, bcast, ...) makes MPI_Ibcast(..., &request) and waits. */
static MPI_Request request;
#define BLOCKING(Name, name, ...) CALL(MPI_##Name, __VA_ARGS__)
#define NONBLOCKING(Name, name, ...) \
    (CALL(MPI_I##name, __VA_ARGS__, &request), CALL(MPI_Wait, &request, MPI_STATUS_IGNORE))

#define DEFINE_COLLECTIVES(function, DO)                                                                        \
    static void function(void)                                                                                  \
    {                                                                                                           \
        fresh();                                                                                                \
        DO(Barrier, barrier, world);                                                                            \
        DO(Bcast, bcast, out, 4, MPI_INT, root, world);                                                         \
        CHECK(out[0] == root + 1 && out[3] == root + 1);                                                        \
        fresh();                                                                                                \
        DO(Gather, gather, out, 1, MPI_INT, in, 1, MPI_INT, root, world);                                       \
        CHECK(rank != root || once_each());                                                                     \
        fresh();                                                                                                \
        DO(Gatherv, gatherv, out, rank + 1, MPI_INT, in, counts, displs, MPI_INT, root, world);                 \
        CHECK(rank != root || counted());                                                                       \
        fresh();                                                                                                \
        DO(Scatter, scatter, out, 2, MPI_INT, in, 2, MPI_INT, root, world);                                     \
        CHECK(in[0] == root + 1 && in[1] == root + 1 && in[2] == 0);                                            \
        fresh();                                                                                                \
        DO(Scatterv, scatterv, out, counts, displs, MPI_INT, in, rank + 1, MPI_INT, root, world);               \
        CHECK(in[rank] == root + 1 && in[rank + 1] == 0);                                                       \
        fresh();                                                                                                \
        DO(Allgather, allgather, out, 1, MPI_INT, in, 1, MPI_INT, world);                                       \
        CHECK(once_each());                                                                                     \
        fresh();                                                                                                \
        DO(Allgatherv, allgatherv, out, rank + 1, MPI_INT, in, counts, displs, MPI_INT, world);                 \
        CHECK(counted());                                                                                       \
        fresh();                                                                                                \
        DO(Alltoall, alltoall, out, 1, MPI_INT, in, 1, MPI_INT, world);                                         \
        CHECK(once_each());                                                                                     \
        fresh();                                                                                                \
        DO(Alltoallv, alltoallv, out, mine, mine_at, MPI_INT, in, counts, displs, MPI_INT, world);              \
        CHECK(counted());                                                                                       \
        fresh();                                                                                                \
        DO(Alltoallw, alltoallw, out, mine, mine_byte_at, ints, in, counts, byte_at, ints, world);              \
        CHECK(counted());                                                                                       \
        fresh();                                                                                                \
        DO(Reduce, reduce, out, in, 3, MPI_INT, MPI_SUM, root, world);                                          \
        CHECK(rank != root || (in[0] == triangle && in[2] == triangle));                                        \
        fresh();                                                                                                \
        DO(Allreduce, allreduce, out, in, 5, MPI_INT, MPI_MAX, world);                                          \
        CHECK(in[4] == size && in[5] == 0);                                                                     \
        fresh();                                                                                                \
        DO(Allreduce, allreduce, MPI_IN_PLACE, out, 2, MPI_INT, MPI_SUM, world);                                \
        CHECK(out[1] == triangle && out[2] == rank + 1);                                                        \
        fresh();                                                                                                \
        DO(Reduce_scatter, reduce_scatter, out, in, counts, MPI_INT, MPI_SUM, world);                           \
        CHECK(in[rank] == triangle && in[rank + 1] == 0);                                                       \
        fresh();                                                                                                \
        DO(Reduce_scatter_block, reduce_scatter_block, out, in, 2, MPI_INT, MPI_SUM, world);                    \
        CHECK(in[1] == triangle && in[2] == 0);                                                                 \
        fresh();                                                                                                \
        DO(Scan, scan, out, in, 1, MPI_INT, MPI_SUM, world);                                                    \
        CHECK(in[0] == (rank + 1) * (rank + 2) / 2);                                                            \
        fresh();                                                                                                \
        DO(Exscan, exscan, out, in, 1, MPI_INT, MPI_SUM, world);                                                \
        CHECK(rank == 0 || in[0] == rank * (rank + 1) / 2);                                                     \
    }

DEFINE_COLLECTIVES(blocking, BLOCKING)
DEFINE_COLLECTIVES(nonblocking, NONBLOCKING)

/* A directed ring: one source (left), one destination (right). */
#define DEFINE_NEIGHBORHOOD(function, DO)                                                                       \
    static void function(MPI_Comm graph, int left)                                                              \
    {                                                                                                           \
        int one = 1, two = 2, zero = 0;                                                                         \
        MPI_Aint start = 0;                                                                                     \
        MPI_Datatype type = MPI_INT;                                                                            \
        fresh();                                                                                                \
        DO(Neighbor_allgather, neighbor_allgather, out, 1, MPI_INT, in, 1, MPI_INT, graph);                     \
        CHECK(in[0] == left + 1 && in[1] == 0);                                                                 \
        fresh();                                                                                                \
        DO(Neighbor_allgatherv, neighbor_allgatherv, out, 2, MPI_INT, in, &two, &one, MPI_INT, graph);          \
        CHECK(in[0] == 0 && in[1] == left + 1 && in[2] == left + 1 && in[3] == 0);                              \
        fresh();                                                                                                \
        DO(Neighbor_alltoall, neighbor_alltoall, out, 3, MPI_INT, in, 3, MPI_INT, graph);                       \
        CHECK(in[2] == left + 1 && in[3] == 0);                                                                 \
        fresh();                                                                                                \
        DO(Neighbor_alltoallv, neighbor_alltoallv, out, &two, &zero, MPI_INT, in, &two, &one, MPI_INT, graph);  \
        CHECK(in[0] == 0 && in[2] == left + 1 && in[3] == 0);                                                   \
        fresh();                                                                                                \
        DO(Neighbor_alltoallw, neighbor_alltoallw, out, &one, &start, &type, in, &one, &start, &type, graph);   \
        CHECK(in[0] == left + 1 && in[1] == 0);                                                                 \
    }

DEFINE_NEIGHBORHOOD(neighborhood, BLOCKING)
DEFINE_NEIGHBORHOOD(nonblocking_neighborhood, NONBLOCKING)

#if MPI_VERSION >= 4
static void twice(MPI_Request *started)
{
    for (int i = 0; i < 2; i++) {
        CALL(MPI_Start, started);
        CALL(MPI_Wait, started, MPI_STATUS_IGNORE);
    }
    CALL(MPI_Request_free, started);
}

static void persistent(void)
{
    fresh();
    CALL(MPI_Barrier_init, world, MPI_INFO_NULL, &request);
    twice(&request);
    CALL(MPI_Bcast_init, out, 4, MPI_INT, root, world, MPI_INFO_NULL, &request);
    twice(&request);
    CHECK(out[3] == root + 1);
    fresh();
    CALL(MPI_Allreduce_init, out, in, 2, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &request);
    twice(&request);
    CHECK(in[1] == triangle);
    fresh();
    CALL(MPI_Alltoall_init, out, 1, MPI_INT, in, 1, MPI_INT, world, MPI_INFO_NULL, &request);
    twice(&request);
    CHECK(once_each());
}
#endif

void callmix_collectives(const struct ring *r)
{
    prepare(r);
    blocking();
    nonblocking();

    fresh();
    in[0] = 5;
    CALL(MPI_Reduce_local, out, in, 1, MPI_INT, MPI_PROD);
    CHECK(in[0] == 5 * (rank + 1));

    MPI_Comm graph;
    CALL(MPI_Dist_graph_create_adjacent, world, 1, &r->left, MPI_UNWEIGHTED, 1, &r->right, MPI_UNWEIGHTED,
         MPI_INFO_NULL, 0, &graph);
    neighborhood(graph, r->left);
    nonblocking_neighborhood(graph, r->left);
    CALL(MPI_Comm_free, &graph);
#if MPI_VERSION >= 4
    persistent();
#endif
}
