/* bucketsort: bucket sort of integer keys, the communication of a classic kernel.
 *
 *   bucketsort [--keys N] [--iters N]      keys over all ranks (default 2^20), iterations (10)
 *
 * Every rank owns one range of key values. One warm-up and then `iters` iterations of:
 * MPI_Allreduce of the bucket sizes, MPI_Alltoall of the counts, MPI_Alltoallv of the keys,
 * sort of what arrived. The keys are uneven on purpose (the sum of four uniform numbers), and
 * bucket borders are chosen from the global sizes so that ranks get about the same.
 *
 * Shows: collectives that carry most of the data, Alltoallv with uneven counts. The
 * checksum does not depend on the number of ranks. */
#include "common.h"

#include <stdint.h>

enum { KEY_BITS = 20, BUCKET_BITS = 10, BUCKETS = 1 << BUCKET_BITS };

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The i-th key of all, whatever rank makes it. */
static int key_at(uint64_t i, int iteration)
{
    uint64_t bits = mix(i * 64 + iteration), sum = 0;
    for (int part = 0; part < 4; part++)
        sum += (bits >> (16 * part)) & 0xffff;
    return (int)(sum << (KEY_BITS - 18)); /* the sum has 18 bits */
}

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

struct sorter {
    int rank, size, mine;          /* keys that this rank makes */
    uint64_t first;                /* index of the first of them */
    int *keys, *staged;            /* as made; in bucket order */
    int *sorted, capacity, held;   /* what this rank owns afterwards */
    int *send_count, *send_at, *recv_count, *recv_at;
};

static void sort_once(struct sorter *s, int iteration)
{
    int local[BUCKETS] = {0}, global[BUCKETS], owner[BUCKETS], next[BUCKETS];
    for (int i = 0; i < s->mine; i++) {
        s->keys[i] = key_at(s->first + i, iteration);
        local[s->keys[i] >> (KEY_BITS - BUCKET_BITS)]++;
    }
    MPI_Allreduce(local, global, BUCKETS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

    int64_t total = 0, before = 0;
    for (int b = 0; b < BUCKETS; b++)
        total += global[b];
    memset(s->send_count, 0, s->size * sizeof(int));
    for (int b = 0, at = 0; b < BUCKETS; b++) {
        owner[b] = (int)(before * s->size / (total ? total : 1));
        if (owner[b] >= s->size) /* empty buckets after the last key */
            owner[b] = s->size - 1;
        before += global[b];
        s->send_count[owner[b]] += local[b];
        next[b] = at;
        at += local[b];
    }
    for (int i = 0; i < s->mine; i++)
        s->staged[next[s->keys[i] >> (KEY_BITS - BUCKET_BITS)]++] = s->keys[i];

    MPI_Alltoall(s->send_count, 1, MPI_INT, s->recv_count, 1, MPI_INT, MPI_COMM_WORLD);
    s->held = 0;
    for (int r = 0, at = 0; r < s->size; r++) {
        s->send_at[r] = at;
        at += s->send_count[r];
        s->recv_at[r] = s->held;
        s->held += s->recv_count[r];
    }
    if (s->held > s->capacity) {
        s->capacity = s->held;
        s->sorted = realloc(s->sorted, s->capacity * sizeof(int));
    }
    MPI_Alltoallv(s->staged, s->send_count, s->send_at, MPI_INT, s->sorted, s->recv_count,
                  s->recv_at, MPI_INT, MPI_COMM_WORLD);
    qsort(s->sorted, s->held, sizeof(int), by_value);
}

/* Ordered on every rank, ordered from rank to rank, and nothing lost. */
static uint64_t verify(const struct sorter *s, long total, int *ok)
{
    int left = s->rank > 0 ? s->rank - 1 : MPI_PROC_NULL;
    int right = s->rank + 1 < s->size ? s->rank + 1 : MPI_PROC_NULL;
    int below = -1, good = 1;
    for (int i = 1; i < s->held; i++)
        good &= s->sorted[i - 1] <= s->sorted[i];
    /* A rank without keys passes on what it received, so this goes from left to right. */
    MPI_Recv(&below, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (s->held > 0)
        good &= below <= s->sorted[0];
    int highest = s->held > 0 ? s->sorted[s->held - 1] : below;
    MPI_Send(&highest, 1, MPI_INT, right, 1, MPI_COMM_WORLD);

    int64_t held = s->held, sum_held, start = 0;
    MPI_Allreduce(&held, &sum_held, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(&held, &start, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (s->rank == 0)
        start = 0;
    uint64_t hash = 0, all;
    for (int i = 0; i < s->held; i++)
        hash += mix((uint64_t)(start + i)) * (uint64_t)s->sorted[i];
    MPI_Allreduce(&hash, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    good &= sum_held == total;
    MPI_Allreduce(&good, ok, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct sorter s = {0};
    long total = opt_long(argc, argv, "--keys", 1L << 20);
    int iters = opt_long(argc, argv, "--iters", 10);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.size);
    s.first = (uint64_t)total * s.rank / s.size;
    s.mine = (int)((uint64_t)total * (s.rank + 1) / s.size - s.first);
    s.capacity = s.mine + 1;
    s.keys = malloc(s.capacity * sizeof(int));
    s.staged = malloc(s.capacity * sizeof(int));
    s.sorted = malloc(s.capacity * sizeof(int));
    s.send_count = malloc(4 * s.size * sizeof(int));
    s.send_at = s.send_count + s.size;
    s.recv_count = s.send_at + s.size;
    s.recv_at = s.recv_count + s.size;

    sort_once(&s, 0); /* warm-up: connections and pages */
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 1; i <= iters; i++)
        sort_once(&s, i);
    double mine = MPI_Wtime() - start, slowest;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);

    int ok;
    uint64_t sum = verify(&s, total, &ok);
    if (s.rank == 0) {
        fprintf(stderr, "bucketsort: %.3f s\n", slowest);
        printf("bucketsort checksum %016llx %s\n", (unsigned long long)sum, ok ? "OK" : "FAILED");
    }
    free(s.keys);
    free(s.staged);
    free(s.sorted);
    free(s.send_count);
    MPI_Finalize();
    return !ok;
}
