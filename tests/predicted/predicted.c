/* Programs whose change is known: `predicted CASE before|after [ITERATIONS]`.
 *
 * Each case is a loop whose pattern a change improves, or seems to improve. `after` has the change really made. Computing is
 * simulated by sleeping: a rank that sleeps is outside of MPI like one that computes, but does not need a core, so the cases
 * work on a busy machine and with more ranks than cores. Prints the time of the loop, in seconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

static int rank, size, after;

/* Computes for so many microseconds. */
static void compute(double us)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    long ns = until.tv_nsec + (long)(us * 1000);
    until.tv_sec += ns / 1000000000L;
    until.tv_nsec = ns % 1000000000L;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
        ;
}

#define LARGE (1 << 20)
static char *out, *in;

static double total(double value)
{
    double sum;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* The last rank has twice the work; after: all have the same. */
static void imbalance(int step)
{
    (void)step;
    double mean = 2000.0 * (size + 1) / size;
    compute(after ? mean : rank == size - 1 ? 4000 : 2000);
    total(1);
}

/* Computes for so many microseconds, on its core: a sleep does not end within a few of them. */
static void compute_shortly(double us)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1e6 + (now.tv_nsec - begin.tv_nsec) / 1e3 < us);
}

/* A grid that is one rank wide, in steps of microseconds: the last rank has twenty times the work, and that of the others
 * varies; after: all have the same. */
static void short_steps(int step)
{
    (void)step;
    int next = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, previous = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int to[4] = {next, previous, MPI_PROC_NULL, MPI_PROC_NULL}, from[4] = {previous, next, MPI_PROC_NULL, MPI_PROC_NULL};
    double mean = 1 + 19.0 / size;
    for (int part = 0; part < 50; part++) {
        compute_shortly(after ? mean : rank == size - 1 ? 20 : part % 2 ? 0.2 : 1.8);
        for (int at = 0; at < 4; at++)
            MPI_Sendrecv(out, 500, MPI_CHAR, to[at], 0, in, 500, MPI_CHAR, from[at], 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    total(1);
}

/* Work grows with the rank; after: all have the same. Neighbours exchange. */
static void gradient(int step)
{
    (void)step;
    double mean = 1000.0 + 1000.0 * (size - 1) / 2;
    compute(after ? mean : 1000.0 + 1000.0 * rank);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Sendrecv(out, 1000, MPI_CHAR, next, 0, in, 1000, MPI_CHAR, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 0 computes half as fast; after: as fast as the others. */
static void slow_rank(int step)
{
    (void)step;
    compute(rank == 0 && !after ? 3000 : 1500);
    total(1);
}

/* A barrier makes all wait for whichever rank is slow in this step; after: without it, nothing does. */
static void moving_barrier(int step)
{
    compute(step % size == rank ? 3000 : 1000);
    if (!after)
        MPI_Barrier(MPI_COMM_WORLD);
}

/* The same barrier before an operation that needs all ranks anyway: nothing is gained. */
static void useless_barrier(int step)
{
    compute(step % size == rank ? 3000 : 1000);
    if (!after)
        MPI_Barrier(MPI_COMM_WORLD);
    total(1);
}

/* Every step checks a norm, although ranks are slow in turn; after: no check. */
static void norm_each_step(int step)
{
    compute(step % size == rank ? 3000 : 1000);
    if (!after)
        total(step);
}

/* `if (has next) Send; if (has previous) Recv` with large messages: a staircase. */
static void staircase(int step)
{
    (void)step;
    MPI_Request requests[2];
    int count = 0;
    compute(200);
    /* Packing, between the calls of one exchange, would be here. */
    if (after) {
        if (rank > 0)
            MPI_Irecv(in, LARGE, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, &requests[count++]);
        if (rank + 1 < size)
            MPI_Isend(out, LARGE, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD, &requests[count++]);
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    } else {
        if (rank + 1 < size)
            MPI_Send(out, LARGE, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD);
        if (rank > 0)
            MPI_Recv(in, LARGE, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* A mesh of ranks that does not wrap: each sends to its neighbours down, up, right, left, one after the other; after: at once. */
static void mesh(int step)
{
    static char *from[4];
    static int dims[2];
    (void)step;
    if (dims[0] == 0) {
        MPI_Dims_create(size, 2, dims);
        for (int at = 0; at < 4; at++)
            from[at] = calloc(LARGE, 1);
    }
    int x = rank % dims[1], y = rank / dims[1], count = 0, neighbours[4];
    if (y + 1 < dims[0])
        neighbours[count++] = rank + dims[1];
    if (y > 0)
        neighbours[count++] = rank - dims[1];
    if (x + 1 < dims[1])
        neighbours[count++] = rank + 1;
    if (x > 0)
        neighbours[count++] = rank - 1;
    MPI_Request requests[8];
    compute(200);
    for (int at = 0; at < count; at++)
        MPI_Irecv(from[at], LARGE, MPI_CHAR, neighbours[at], 0, MPI_COMM_WORLD, &requests[at]);
    int begun = count;
    for (int at = 0; at < count; at++) {
        if (after)
            MPI_Isend(out, LARGE, MPI_CHAR, neighbours[at], 0, MPI_COMM_WORLD, &requests[begun++]);
        else
            MPI_Send(out, LARGE, MPI_CHAR, neighbours[at], 0, MPI_COMM_WORLD);
    }
    MPI_Waitall(begun, requests, MPI_STATUSES_IGNORE);
}

/* Rank 0 has data for all others, who pass them on along a binomial tree. */
static void __attribute__((noinline)) broadcasts_by_tree(void)
{
    int lowest = 1;
    while (lowest < size && (rank & lowest) == 0)
        lowest *= 2;
    if (rank > 0)
        MPI_Recv(out, LARGE, MPI_CHAR, rank - lowest, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int distance = lowest / 2; distance > 0; distance /= 2)
        if (rank + distance < size)
            MPI_Send(out, LARGE, MPI_CHAR, rank + distance, 0, MPI_COMM_WORLD);
}

/* So many times: each rank sends on to the next one what it gets, and gets the next data meanwhile. */
static void __attribute__((noinline)) broadcasts_by_pipeline(int times, int bytes)
{
    char *buffers[2] = {out, in};
    MPI_Request sent = MPI_REQUEST_NULL;
    for (int at = 0; at < times; at++) {
        if (rank > 0)
            MPI_Recv(buffers[at % 2], bytes, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
        if (rank + 1 < size)
            MPI_Isend(buffers[at % 2], bytes, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD, &sent);
    }
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

/* A block to each rank along the tree, and all blocks round in a ring; of a power of two of ranks. */
static void __attribute__((noinline)) broadcasts_by_blocks(void)
{
    int lowest = 1, block = LARGE / size, next = (rank + 1) % size, previous = (rank + size - 1) % size;
    while (lowest < size && (rank & lowest) == 0)
        lowest *= 2;
    if (rank > 0)
        MPI_Recv(out, lowest * block, MPI_CHAR, rank - lowest, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int distance = lowest / 2; distance > 0; distance /= 2)
        MPI_Send(out, distance * block, MPI_CHAR, rank + distance, 0, MPI_COMM_WORLD);
    for (int at = 1; at < size; at++)
        MPI_Sendrecv(out, block, MPI_CHAR, next, 0, in, block, MPI_CHAR, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* One broadcast: along a tree, as a pipeline of 16 pieces, by blocks. */
static void broadcast(int step)
{
    (void)step;
    broadcasts_by_tree();
    MPI_Barrier(MPI_COMM_WORLD);
    broadcasts_by_pipeline(16, LARGE / 16);
    MPI_Barrier(MPI_COMM_WORLD);
    broadcasts_by_blocks();
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Twelve broadcasts along a tree, and as a pipeline over all of them. */
static void broadcasts(int step)
{
    (void)step;
    for (int at = 0; at < 12; at++)
        broadcasts_by_tree();
    MPI_Barrier(MPI_COMM_WORLD);
    broadcasts_by_pipeline(12, LARGE);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A message of 32 KB to a receiver that computes first: by rendezvous the sender waits before it computes itself. The change is
 * the MPI's eager limit, so `after` is the same program. */
static void eager(int step)
{
    (void)step;
    if (rank % 2 == 0) {
        if (rank + 1 < size)
            MPI_Send(out, 32768, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD);
        compute(2000);
    } else {
        compute(2000);
        MPI_Recv(in, 32768, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    total(1);
}

/* The root of a broadcast comes late; after: it computes as long as the others. */
static void late_root(int step)
{
    compute(rank == 0 && !after ? 2500 : 1000);
    MPI_Bcast(out, 1000, MPI_CHAR, 0, MPI_COMM_WORLD);
    (void)step;
}

/* A chain of ranks, each needs the one before; after: the second computes three times as fast. */
static void chain(int step)
{
    (void)step;
    if (rank > 0)
        MPI_Recv(in, 1000, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute(rank == 1 && !after ? 3000 : 1000);
    if (rank + 1 < size)
        MPI_Send(out, 1000, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD);
}

/* The slow rank alternates: all ranks have the same total, but not in each step; after: all have the same in each step. */
static void alternating(int step)
{
    double mean = (3000.0 + 1000.0 * (size - 1)) / size;
    compute(after ? mean : step % size == rank ? 3000 : 1000);
    total(1);
}

/* The rank that is made faster is not the one that others wait for. */
static void wrong_rank(int step)
{
    (void)step;
    compute(rank == 0 ? (after ? 500 : 1000) : 2500);
    total(1);
}

/* Computing before one operation is made twice as fast; that before another one stays. */
static void __attribute__((noinline)) first_part(void)
{
    compute(after ? 1000 : 2000);
    MPI_Allreduce(MPI_IN_PLACE, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void one_part(int step)
{
    first_part();
    compute(rank == 1 ? 1500 : 1000);
    MPI_Bcast(out, 8, MPI_CHAR, step % size, MPI_COMM_WORLD);
}

/* Everything at once: the last rank is slow, and a barrier is needless; only the barrier is removed. */
static void both_causes(int step)
{
    compute((rank == size - 1 ? 2500 : 1500) + (step % size == rank ? 1000 : 0));
    if (!after)
        MPI_Barrier(MPI_COMM_WORLD);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    if (step % 4 == 3)
        MPI_Sendrecv(out, 100, MPI_CHAR, next, 0, in, 100, MPI_CHAR, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* On a slow network. Small messages both ways: the latency decides. */
static void small_exchange(int step)
{
    (void)step;
    int other = rank ^ 1;
    compute(500);
    MPI_Sendrecv(out, 8, MPI_CHAR, other, 0, in, 8, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Large messages both ways: the bandwidth decides. */
static void large_exchange(int step)
{
    (void)step;
    int other = rank ^ 1;
    compute(500);
    MPI_Sendrecv(out, 262144, MPI_CHAR, other, 0, in, 262144, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* One direction after the other; after: both at once. */
static void ordered_exchange(int step)
{
    (void)step;
    int other = rank ^ 1;
    MPI_Request requests[2];
    compute(500);
    if (after) {
        MPI_Irecv(in, 262144, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, 262144, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else if (rank & 1) {
        MPI_Recv(in, 262144, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, 262144, MPI_CHAR, other, 0, MPI_COMM_WORLD);
    } else {
        MPI_Send(out, 262144, MPI_CHAR, other, 0, MPI_COMM_WORLD);
        MPI_Recv(in, 262144, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Many small messages to the same rank; after: one with all of them. */
#define MANY 200
static void many_small(int step)
{
    (void)step;
    static MPI_Request requests[2 * MANY];
    int other = rank ^ 1, count = after ? 1 : MANY, bytes = after ? 8 * MANY : 8;
    compute(300);
    for (int at = 0; at < count; at++)
        MPI_Irecv(in + at * bytes, bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[at]);
    for (int at = 0; at < count; at++)
        MPI_Isend(out + at * bytes, bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[count + at]);
    MPI_Waitall(2 * count, requests, MPI_STATUSES_IGNORE);
}

/* Eight messages, each of which waits for its receiver; after: one. */
static void handshakes(int step)
{
    (void)step;
    int count = after ? 1 : 8, bytes = 8000 / count;
    compute(500);
    for (int at = 0; at < count; at++) {
        if (rank % 2 == 0 && rank + 1 < size)
            MPI_Ssend(out, bytes, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD);
        if (rank % 2 == 1)
            MPI_Recv(in, bytes, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Rank 0 gives all others their part, and the one that comes last gets it first; after: the next rank gets it first. */
static void late_first(int step)
{
    (void)step;
    if (rank == 0) {
        for (int at = 1; at < size; at++)
            MPI_Ssend(out, 1000, MPI_CHAR, after ? at : size - at, 0, MPI_COMM_WORLD);
    } else {
        if (rank == size - 1)
            compute(3000);
        MPI_Recv(in, 1000, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank < size - 1)
            compute(3000);
    }
    total(1);
}

/* Four messages come one by one, and each brings work. */
static void four_messages(int waits_for_all)
{
    MPI_Request requests[4];
    if (rank % 2 == 0) {
        for (int at = 0; at < 4; at++) {
            compute(500);
            if (rank + 1 < size)
                MPI_Send(out, 1000, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD);
        }
    } else {
        for (int at = 0; at < 4; at++)
            MPI_Irecv(in + 1000 * at, 1000, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, &requests[at]);
        if (waits_for_all)
            MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        for (int at = 0; at < 4; at++) {
            if (!waits_for_all)
                MPI_Wait(&requests[at], MPI_STATUS_IGNORE);
            compute(400);
        }
    }
    total(1);
}

/* Sums of numbers, one at a time; after: all at once. */
static void numbers(int step)
{
    (void)step;
    double *from = (double *)out, *to = (double *)in;
    int at_once = after ? 200 : 1;
    compute(300);
    for (int at = 0; at < 200; at += at_once)
        MPI_Allreduce(from + at, to + at, at_once, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* What they bring is used at once; after: when all have come. */
static void one_by_one(int step)
{
    (void)step;
    four_messages(after);
}

/* All messages are awaited before the first is used; after: each is used while the next one is awaited. */
static void all_at_once(int step)
{
    (void)step;
    four_messages(!after);
}

/* Rank 0 is late in every third step; after: never. */
static void sometimes_late(int step)
{
    compute(rank == 0 && step % 3 == 0 && !after ? 4000 : 2000);
    total(1);
}

/* All wait for all, over two hosts; after: within each host, between one rank of each, within each host. */
static void barrier_over_hosts(int step)
{
    static MPI_Comm host, leaders;
    compute(500);
    if (!after) {
        MPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    if (step == 0) {
        MPI_Comm_split(MPI_COMM_WORLD, rank / (size / 2), rank, &host);
        MPI_Comm_split(MPI_COMM_WORLD, rank % (size / 2) == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
    }
    MPI_Barrier(host);
    if (leaders != MPI_COMM_NULL)
        MPI_Barrier(leaders);
    MPI_Barrier(host);
}

/* Messages to both neighbours in a ring, one after the other; after: at once. */
static void neighbours_in_turn(int step)
{
    static MPI_Comm ring;
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, periodic = 1;
    compute(500);
    if (after) {
        if (step == 0)
            MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
        MPI_Neighbor_alltoall(out, 1000, MPI_CHAR, in, 1000, MPI_CHAR, ring);
        return;
    }
    MPI_Sendrecv(out, 1000, MPI_CHAR, next, 0, in, 1000, MPI_CHAR, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 1000, MPI_CHAR, previous, 1, in, 1000, MPI_CHAR, next, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 0 computes longer, and its neighbours on a ring wait for it in a neighbourhood operation; after: it does not. */
static void late_neighbour(int step)
{
    static MPI_Comm ring;
    int periodic = 1;
    if (step == 0)
        MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    compute(rank == 0 && !after ? 3000 : 1500);
    MPI_Neighbor_alltoall(out, 1000, MPI_CHAR, in, 1000, MPI_CHAR, ring);
}

/* The same on a graph: each rank receives only from the one before it. */
static void late_source(int step)
{
    static MPI_Comm ring;
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    if (step == 0)
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &previous, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                       &ring);
    compute(rank == 0 && !after ? 3000 : 1500);
    MPI_Neighbor_alltoall(out, 1000, MPI_CHAR, in, 1000, MPI_CHAR, ring);
}

static MPI_Win window = MPI_WIN_NULL;

/* The same in epochs between partners: each opens its window to the other one and writes into the other's. */
static void late_post(int step)
{
    static MPI_Group partner;
    int other = rank ^ 1;
    if (step == 0) {
        MPI_Group all;
        MPI_Comm_group(MPI_COMM_WORLD, &all);
        MPI_Group_incl(all, 1, &other, &partner);
        MPI_Win_create(in, 1000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    }
    compute(rank == 0 && !after ? 3000 : 1500);
    MPI_Win_post(partner, 0, window);
    MPI_Win_start(partner, 0, window);
    MPI_Put(out, 1000, MPI_CHAR, other, 0, 1000, MPI_CHAR, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
}

/* A rank waits for a message in MPI_Probe, since it does not know its size; after: the sender is faster. */
static void probed(int step)
{
    (void)step;
    int other = rank ^ 1, bytes;
    MPI_Status status;
    if (rank % 2 == 0) {
        compute(after ? 1500 : 3000);
        MPI_Send(out, 100, MPI_CHAR, other, 0, MPI_COMM_WORLD);
        MPI_Recv(in, 100, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Probe(other, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    MPI_Recv(in, bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute(1000);
    MPI_Send(out, 100, MPI_CHAR, other, 0, MPI_COMM_WORLD);
}

/* Four exchanges with one partner and one with another: which of them is on the same host decides. The change is the order in which ranks are
 * placed on hosts, so `after` is the same program. */
static void partners(int often, int seldom, int bytes)
{
    compute(500);
    for (int at = 0; at < 5; at++) {
        int other = at < 4 ? often : seldom;
        MPI_Sendrecv(out, bytes, MPI_CHAR, other, 0, in, bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Half of the ranks away, as far as can be when ranks fill one host after the other. */
static void far_partner(int step)
{
    (void)step;
    partners((rank + size / 2) % size, rank ^ 1, 8);
}

static void far_partner_large(int step)
{
    (void)step;
    partners((rank + size / 2) % size, rank ^ 1, 65536);
}

/* The next one: on the same host already. */
static void near_partner(int step)
{
    (void)step;
    partners(rank ^ 1, (rank + size / 2) % size, 8);
}

/* The first with the last, the second with the last but one. */
static void opposite_partner(int step)
{
    (void)step;
    partners(size - 1 - rank, rank ^ 1, 8);
}

static const struct {
    const char *name;
    void (*step)(int);
} cases[] = {
    {"imbalance", imbalance},       {"gradient", gradient},       {"slow_rank", slow_rank},
    {"short_steps", short_steps},
    {"moving_barrier", moving_barrier}, {"useless_barrier", useless_barrier}, {"norm_each_step", norm_each_step},
    {"staircase", staircase},       {"mesh", mesh},               {"broadcast", broadcast},       {"broadcasts", broadcasts},     {"eager", eager},             {"late_root", late_root},
    {"chain", chain},               {"alternating", alternating}, {"wrong_rank", wrong_rank},
    {"one_part", one_part},         {"both_causes", both_causes}, {"small_exchange", small_exchange},
    {"large_exchange", large_exchange}, {"ordered_exchange", ordered_exchange},
    {"many_small", many_small},     {"handshakes", handshakes},   {"late_first", late_first},
    {"numbers", numbers},           {"one_by_one", one_by_one},     {"all_at_once", all_at_once},   {"sometimes_late", sometimes_late},
    {"barrier_over_hosts", barrier_over_hosts}, {"neighbours_in_turn", neighbours_in_turn},
    {"far_partner", far_partner},   {"far_partner_large", far_partner_large}, {"near_partner", near_partner},
    {"opposite_partner", opposite_partner}, {"late_neighbour", late_neighbour}, {"late_source", late_source}, {"late_post", late_post}, {"probed", probed},
};

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: predicted CASE before|after [ITERATIONS]\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    prctl(PR_SET_TIMERSLACK, 1);
    after = strcmp(argv[2], "after") == 0;
    int steps = argc > 3 ? atoi(argv[3]) : 200;
    out = calloc(LARGE, 1);
    in = calloc(LARGE, 1);
    void (*step)(int) = NULL;
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++)
        if (strcmp(cases[at].name, argv[1]) == 0)
            step = cases[at].step;
    if (step == NULL) {
        fprintf(stderr, "predicted: no case %s\n", argv[1]);
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int at = 0; at < steps; at++)
        step(at);
    double own = MPI_Wtime() - begin, longest;
    MPI_Reduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("seconds %.6f\n", longest);
    if (window != MPI_WIN_NULL)
        MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
