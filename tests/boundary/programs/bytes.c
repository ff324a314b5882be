/* bytes: calls whose payload is known, and says what it was.
 *
 *   bytes PREFIX
 *
 * Each rank writes PREFIX.<rank>, lines `MPI_Send calls sent received` in bytes. Arguments that
 * the standard calls not significant (all but the root's, those beside MPI_IN_PLACE) are
 * garbage on purpose: a tool that looks at them crashes or miscounts. Runs on 2 ranks or more. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct entry { const char *name; long calls, sent, received; } entries[100];

static void moved(const char *name, long sent, long received)
{
    struct entry *e = entries;
    while (e->name && strcmp(e->name, name) != 0)
        e++;
    e->name = name;
    e->calls++;
    e->sent += sent;
    e->received += received;
}

#define GARBAGE ((void *)8)
#ifndef GARBAGE_TYPE
#define GARBAGE_TYPE ((MPI_Datatype)(intptr_t)0x7fffff01)
#endif

enum { ROOM = 4096, INT = 4 };
static int rank, size, left, right;
static int a[ROOM], b[ROOM];
static int counts[64], others[64], at[64], byte_at[64];
static MPI_Datatype types[64];
static MPI_Comm world = MPI_COMM_WORLD;

static void messages(void)
{
    MPI_Status status;
    MPI_Request requests[4];
    MPI_Datatype vector, pair, absolute;
    int blocks[2] = {1, 1};
    MPI_Aint places[2] = {0, 8};
    MPI_Datatype parts[2] = {MPI_DOUBLE, MPI_CHAR};
    MPI_Type_vector(3, 2, 4, MPI_INT, &vector); /* 24 bytes in an extent of 40 */
    MPI_Type_commit(&vector);
    MPI_Type_create_struct(2, blocks, places, parts, &pair); /* 9 bytes in 16 */
    MPI_Type_commit(&pair);
    MPI_Get_address(a, &places[0]);
    MPI_Get_address(a + 100, &places[1]);
    blocks[0] = 5, blocks[1] = 7;
    MPI_Type_create_hindexed(2, blocks, places, MPI_INT, &absolute); /* 48 bytes */
    MPI_Type_commit(&absolute);

    /* Received is what came, not what there was room for. */
    MPI_Isend(a, 5, vector, right, 1, world, &requests[0]);
    moved("MPI_Isend", 5 * 24, 0);
    MPI_Recv(b, 10, vector, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
    moved("MPI_Recv", 0, 5 * 24);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

    MPI_Isend(MPI_BOTTOM, 1, absolute, right, 2, world, &requests[0]);
    moved("MPI_Isend", 48, 0);
    MPI_Irecv(b, 12, MPI_INT, left, 2, world, &requests[1]);
    moved("MPI_Irecv", 0, 48);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    MPI_Sendrecv(a, 3, pair, right, 3, b, 3, pair, left, 3, world, MPI_STATUS_IGNORE);
    moved("MPI_Sendrecv", 27, 27);
    MPI_Sendrecv(a, 100, MPI_INT, MPI_PROC_NULL, 3, b, 100, MPI_INT, MPI_PROC_NULL, 3, world, &status);
    moved("MPI_Sendrecv", 0, 0);
    MPI_Sendrecv_replace(a, 11, MPI_INT, right, 4, left, 4, world, MPI_STATUS_IGNORE);
    moved("MPI_Sendrecv_replace", 11 * INT, 11 * INT);

    MPI_Send(a, 100, MPI_INT, MPI_PROC_NULL, 5, world);
    moved("MPI_Send", 0, 0);
    MPI_Recv(b, 100, MPI_INT, MPI_PROC_NULL, 5, world, MPI_STATUS_IGNORE);
    moved("MPI_Recv", 0, 0);
    MPI_Send(a, 0, MPI_INT, right, 6, world);
    moved("MPI_Send", 0, 0);
    MPI_Recv(b, 0, MPI_INT, left, 6, world, MPI_STATUS_IGNORE);
    moved("MPI_Recv", 0, 0);

    MPI_Type_free(&vector);
    MPI_Type_free(&pair);
    MPI_Type_free(&absolute);
}

static void rooted(void)
{
    int root = 1, is_root = rank == root;
    MPI_Bcast(a, 7, MPI_DOUBLE, root, world);
    moved("MPI_Bcast", is_root ? 56 : 0, is_root ? 0 : 56);

    MPI_Reduce(a, is_root ? b : GARBAGE, 10, MPI_INT, MPI_SUM, root, world);
    moved("MPI_Reduce", 10 * INT, is_root ? 10 * INT : 0);
    if (is_root)
        MPI_Reduce(MPI_IN_PLACE, b, 10, MPI_INT, MPI_SUM, root, world);
    else
        MPI_Reduce(a, GARBAGE, 10, MPI_INT, MPI_SUM, root, world);
    moved("MPI_Reduce", 10 * INT, is_root ? 10 * INT : 0);

    if (is_root)
        MPI_Gather(a, 6, MPI_INT, b, 6, MPI_INT, root, world);
    else
        MPI_Gather(a, 6, MPI_INT, GARBAGE, -77, GARBAGE_TYPE, root, world);
    moved("MPI_Gather", 6 * INT, is_root ? 6 * INT * size : 0);
    if (is_root)
        MPI_Gather(MPI_IN_PLACE, -77, GARBAGE_TYPE, b, 6, MPI_INT, root, world);
    else
        MPI_Gather(a, 6, MPI_INT, GARBAGE, -77, GARBAGE_TYPE, root, world);
    moved("MPI_Gather", 6 * INT, is_root ? 6 * INT * size : 0);

    long all = 0;
    for (int r = 0; r < size; r++) {
        counts[r] = r + 2;
        at[r] = (int)all;
        all += counts[r];
    }
    if (is_root)
        MPI_Gatherv(a, counts[rank], MPI_INT, b, counts, at, MPI_INT, root, world);
    else
        MPI_Gatherv(a, counts[rank], MPI_INT, GARBAGE, GARBAGE, GARBAGE, GARBAGE_TYPE, root, world);
    moved("MPI_Gatherv", counts[rank] * INT, is_root ? all * INT : 0);

    if (is_root)
        MPI_Scatter(a, 4, MPI_INT, b, 4, MPI_INT, root, world);
    else
        MPI_Scatter(GARBAGE, -77, GARBAGE_TYPE, b, 4, MPI_INT, root, world);
    moved("MPI_Scatter", is_root ? 4 * INT * size : 0, 4 * INT);
    if (is_root)
        MPI_Scatterv(a, counts, at, MPI_INT, b, counts[rank], MPI_INT, root, world);
    else
        MPI_Scatterv(GARBAGE, GARBAGE, GARBAGE, GARBAGE_TYPE, b, counts[rank], MPI_INT, root, world);
    moved("MPI_Scatterv", is_root ? all * INT : 0, counts[rank] * INT);
}

static void everyone(void)
{
    MPI_Datatype two;
    long all = 0, p = size;
    for (int r = 0; r < size; r++) {
        counts[r] = r + 2;
        at[r] = (int)all;
        all += counts[r];
    }
    MPI_Allreduce(a, b, 9, MPI_INT, MPI_SUM, world);
    moved("MPI_Allreduce", 36, 36);
    MPI_Allreduce(MPI_IN_PLACE, b, 9, MPI_INT, MPI_SUM, world);
    moved("MPI_Allreduce", 36, 36);
    MPI_Scan(a, b, 5, MPI_INT, MPI_SUM, world);
    moved("MPI_Scan", 20, 20);

    MPI_Allgather(a, 3, MPI_INT, b, 3, MPI_INT, world);
    moved("MPI_Allgather", 12, 12 * p);
    MPI_Allgather(MPI_IN_PLACE, -77, GARBAGE_TYPE, b, 3, MPI_INT, world);
    moved("MPI_Allgather", 12, 12 * p);
    MPI_Allgatherv(a, counts[rank], MPI_INT, b, counts, at, MPI_INT, world);
    moved("MPI_Allgatherv", counts[rank] * INT, all * INT);

    MPI_Alltoall(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, world);
    moved("MPI_Alltoall", 16 * p, 16 * p);
    MPI_Alltoall(MPI_IN_PLACE, -77, GARBAGE_TYPE, b, 2, MPI_DOUBLE, world);
    moved("MPI_Alltoall", 16 * p, 16 * p);

    /* Rank r sends q + 1 numbers to rank q, so receives r + 1 from each. */
    long sent = 0, received = 0;
    for (int q = 0; q < size; q++) {
        counts[q] = q + 1, others[q] = rank + 1;
        at[q] = (int)sent, byte_at[q] = (int)received;
        sent += counts[q], received += others[q];
    }
    MPI_Alltoallv(a, counts, at, MPI_INT, b, others, byte_at, MPI_INT, world);
    moved("MPI_Alltoallv", sent * INT, received * INT);
    for (int q = 0; q < size; q++)
        others[q] = 3, byte_at[q] = 3 * q;
    MPI_Alltoallv(MPI_IN_PLACE, GARBAGE, GARBAGE, GARBAGE_TYPE, b, others, byte_at, MPI_INT, world);
    moved("MPI_Alltoallv", 3 * p * INT, 3 * p * INT);

    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_commit(&two);
    for (int q = 0; q < size; q++)
        types[q] = two, others[q] = 3, byte_at[q] = 24 * q;
    MPI_Alltoallw(a, others, byte_at, types, b, others, byte_at, types, world);
    moved("MPI_Alltoallw", 24 * p, 24 * p);
    MPI_Type_free(&two);

    MPI_Reduce_scatter_block(a, b, 4, MPI_INT, MPI_SUM, world);
    moved("MPI_Reduce_scatter_block", 16 * p, 16);
    for (int r = 0; r < size; r++)
        others[r] = r + 1; /* not alike */
    MPI_Reduce_scatter(a, b, others, MPI_INT, MPI_SUM, world);
    moved("MPI_Reduce_scatter", p * (p + 1) / 2 * INT, (rank + 1) * INT);
}

int main(int argc, char **argv)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    left = (rank + size - 1) % size, right = (rank + 1) % size;
    messages();
    rooted();
    everyone();
    MPI_Finalize();

    char path[4096];
    snprintf(path, sizeof path, "%s.%d", argc > 1 ? argv[1] : "bytes", rank);
    FILE *file = fopen(path, "w");
    if (!file)
        return 1;
    for (struct entry *e = entries; e->name; e++)
        fprintf(file, "%s %ld %ld %ld\n", e->name, e->calls, e->sent, e->received);
    if (rank == 0)
        printf("bytes OK\n");
    return fclose(file) != 0;
}
