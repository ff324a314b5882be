/* Every way in which something is received without waiting, and in which it is completed. Two processes; says what is wrong with what
 * has come and ends with 1, or says right. No buffer is touched too early: a checker may neither find that nor change a byte. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD
enum { N = 3000 };

static int rank, other, failures;

static void expect(int true_here, const char *what, int line)
{
    if (!true_here) {
        fprintf(stderr, "rank %d, line %d: %s\n", rank, line, what);
        failures++;
    }
}
#define EXPECT(what) expect(what, #what, __LINE__)

static void fill(int *values, int n, int first)
{
    for (int i = 0; i < n; i++)
        values[i] = first + i;
}

static int holds(const int *values, int n, int first)
{
    for (int i = 0; i < n; i++)
        if (values[i] != first + i)
            return 0;
    return 1;
}

/* Shorter than posted: what the message does not reach keeps its value. */
static void shorter(int n, int sent)
{
    int *in = malloc(n * sizeof(int)), *out = malloc(n * sizeof(int)), count;
    MPI_Request request;
    MPI_Status status;
    fill(in, n, 5000 + rank);
    fill(out, n, 100 * rank);
    MPI_Irecv(in, n, MPI_INT, other, 1, WORLD, &request);
    MPI_Send(out, sent, MPI_INT, other, 1, WORLD);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT(count == sent);
    EXPECT(holds(in, sent, 100 * other));
    EXPECT(holds(in + sent, n - sent, 5000 + rank + sent));
    free(in);
    free(out);
}

/* Several requests, completed in every way, also where their handles were copied to. */
static void many(int way)
{
    enum { MANY = 7 };
    int in[MANY][40], out[MANY][40], index, flag, n, indices[MANY], left = MANY;
    MPI_Request requests[2 * MANY], copies[MANY];
    for (int i = 0; i < MANY; i++) {
        fill(in[i], 40, -1000);
        fill(out[i], 40, 1000 * rank + 50 * i);
        MPI_Irecv(in[i], 40, MPI_INT, other, i, WORLD, &requests[i]);
    }
    for (int i = 0; i < MANY; i++)
        MPI_Isend(out[MANY - 1 - i], 40, MPI_INT, other, MANY - 1 - i, WORLD, &requests[MANY + i]);
    memcpy(copies, requests, sizeof copies);
    if (way == 0)
        MPI_Waitall(MANY, copies, MPI_STATUSES_IGNORE);
    for (int i = 0; way == 1 && i < MANY; i++) {
        MPI_Waitany(MANY, copies, &index, MPI_STATUS_IGNORE);
        EXPECT(holds(in[index], 40, 1000 * other + 50 * index));
    }
    while (way == 2 && left > 0) {
        MPI_Waitsome(MANY, copies, &n, indices, MPI_STATUSES_IGNORE);
        left -= n;
    }
    while (way == 3 && left > 0) {
        MPI_Testsome(MANY, copies, &n, indices, MPI_STATUSES_IGNORE);
        left -= n;
    }
    while (way == 4 && left > 0) {
        MPI_Testany(MANY, copies, &index, &flag, MPI_STATUS_IGNORE);
        if (flag) {
            EXPECT(holds(in[index], 40, 1000 * other + 50 * index));
            left--;
        }
    }
    if (way == 5)
        do
            MPI_Testall(MANY, copies, &flag, MPI_STATUSES_IGNORE);
        while (!flag);
    for (int i = 0; way == 6 && i < MANY; i++) {
        do
            MPI_Request_get_status(copies[i], &flag, MPI_STATUS_IGNORE);
        while (!flag);
        EXPECT(holds(in[i], 40, 1000 * other + 50 * i));
        in[i][0] = 77;
        MPI_Wait(&copies[i], MPI_STATUS_IGNORE);
        EXPECT(in[i][0] == 77);
        in[i][0] = 1000 * other + 50 * i;
    }
    /* In another order than they were made; their buffers may be written as soon as each is complete. */
    for (int i = MANY - 1; i >= 0; i--) {
        MPI_Request one = requests[MANY + i];
        MPI_Wait(&one, MPI_STATUS_IGNORE);
        out[MANY - 1 - i][3] = -5;
    }
    for (int i = 0; i < MANY; i++)
        EXPECT(holds(in[i], 40, 1000 * other + 50 * i));
}

static void cancelled(void)
{
    int in[10], flag;
    MPI_Request request;
    MPI_Status status;
    fill(in, 10, 3);
    MPI_Irecv(in, 10, MPI_INT, other, 99, WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    EXPECT(flag);
    EXPECT(holds(in, 10, 3));
    MPI_Irecv(in, 10, MPI_INT, other, 99, WORLD, &request);
    MPI_Cancel(&request);
    MPI_Request_free(&request);
    EXPECT(request == MPI_REQUEST_NULL);
    MPI_Barrier(WORLD);
    fill(in, 10, 4);
    MPI_Barrier(WORLD);
    MPI_Barrier(WORLD);
    EXPECT(holds(in, 10, 4));
}

static void persistent(void)
{
    int *in = malloc(N * sizeof(int)), *out = malloc(N * sizeof(int));
    MPI_Request requests[2];
    MPI_Recv_init(in, N, MPI_INT, other, 2, WORLD, &requests[0]);
    MPI_Send_init(out, N, MPI_INT, other, 2, WORLD, &requests[1]);
    for (int step = 0; step < 3; step++) {
        fill(out, N, 10 * step + rank);
        fill(in, N, -8);
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        EXPECT(holds(in, N, 10 * step + other));
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    free(in);
    free(out);
}

static void types(void)
{
    int grid[12][12], *heap = malloc(8 * sizeof(int)), stack[8], got[144];
    MPI_Datatype column, two, back, shifted, apart;
    MPI_Request requests[3];
    MPI_Aint places[2], extent = sizeof(int);
    int lengths[2] = {8, 8};
    MPI_Type_vector(12, 1, 12, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, extent, &two);
    MPI_Type_commit(&column);
    MPI_Type_commit(&two);
    fill(&grid[0][0], 144, 0);
    /* Columns side by side at once, and what lies between them. */
    MPI_Irecv(&grid[0][2], 1, column, other, 3, WORLD, &requests[0]);
    MPI_Irecv(&grid[0][4], 2, two, other, 4, WORLD, &requests[1]);
    fill(got, 144, 1000);
    grid[0][3] = 42;
    MPI_Send(got, 12, MPI_INT, other, 3, WORLD);
    MPI_Send(got + 12, 24, MPI_INT, other, 4, WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 12; i++)
        EXPECT(grid[i][2] == 1000 + i && grid[i][4] == 1012 + i && grid[i][5] == 1024 + i && grid[i][6] == 12 * i + 6);
    EXPECT(grid[0][3] == 42);
    /* Backwards, and from below the address. */
    MPI_Type_create_hvector(5, 1, -2 * extent, MPI_INT, &back);
    MPI_Type_commit(&back);
    fill(got, 20, 0);
    MPI_Irecv(got + 10, 1, back, other, 5, WORLD, &requests[0]);
    fill(&grid[0][0], 5, 70);
    MPI_Send(grid, 5, MPI_INT, other, 5, WORLD);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    EXPECT(got[10] == 70 && got[8] == 71 && got[2] == 74 && got[9] == 9 && got[11] == 11);
    MPI_Type_create_hindexed(1, (int[]){3}, (MPI_Aint[]){-3 * extent}, MPI_INT, &shifted);
    MPI_Type_commit(&shifted);
    MPI_Irecv(got + 3, 1, shifted, other, 6, WORLD, &requests[0]);
    MPI_Send(grid, 3, MPI_INT, other, 6, WORLD);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    EXPECT(holds(got, 3, 70) && got[3] == 3);
    /* Addresses, on the stack and in the heap. */
    MPI_Get_address(stack, &places[0]);
    MPI_Get_address(heap, &places[1]);
    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &apart);
    MPI_Type_commit(&apart);
    fill(stack, 8, 0);
    fill(heap, 8, 0);
    fill(got, 16, 300);
    MPI_Irecv(MPI_BOTTOM, 1, apart, other, 7, WORLD, &requests[0]);
    MPI_Send(got, 16, MPI_INT, other, 7, WORLD);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    EXPECT(holds(stack, 8, 300) && holds(heap, 8, 308));
    MPI_Type_free(&column);
    MPI_Type_free(&two);
    MPI_Type_free(&back);
    MPI_Type_free(&shifted);
    MPI_Type_free(&apart);
    free(heap);
}

static void collectives(void)
{
    int mine[8], all[64], sums[8], counts[2] = {2, 3}, places[2] = {5, 0}, one[2] = {1, 1};
    MPI_Request request;
    MPI_Comm line;
    fill(all, 64, 0);
    fill(mine, 8, 10 * rank);
    MPI_Ibcast(mine, 8, MPI_INT, 1, WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(holds(mine, 8, 10));
    fill(mine, 8, 10 * rank);
    MPI_Igatherv(mine, counts[rank], MPI_INT, all, counts, places, MPI_INT, 0, WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        EXPECT(holds(all + 5, 2, 0) && holds(all, 3, 10) && all[3] == 3 && all[4] == 4 && all[7] == 7);
    fill(sums, 8, rank);
    MPI_Iallreduce(MPI_IN_PLACE, sums, 8, MPI_INT, MPI_SUM, WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(sums[0] == 1 && sums[7] == 15);
    fill(sums, 8, 100 * rank);
    MPI_Ireduce_scatter_block(MPI_IN_PLACE, sums, 4, MPI_INT, MPI_SUM, WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(sums[0] == 100 + 8 * rank && sums[3] == 106 + 8 * rank);
    fill(sums, 8, 100 * rank);
    counts[0] = 2, counts[1] = 6;
    MPI_Ireduce_scatter(MPI_IN_PLACE, sums, counts, MPI_INT, MPI_SUM, WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(sums[0] == 100 + 4 * rank && sums[1] == 102 + 4 * rank);
    fill(sums, 8, 7);
    MPI_Iexscan(mine, sums, 4, MPI_INT, MPI_SUM, WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(holds(sums, 8, rank ? 0 : 7) || (rank == 1 && holds(sums, 4, 0) && holds(sums + 4, 4, 11)));
    fill(all, 2, 20 * rank);
    MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(all[0] == (rank ? 1 : 0) && all[1] == (rank ? 21 : 20));
    MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
    int from[2] = {4, 0}, to[2] = {40, 12};
    fill(all, 64, 0);
    fill(mine, 8, 10 * rank);
    MPI_Ialltoallw(mine, one, from, ints, all, one, to, ints, WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(all[10] == (rank ? 0 : 1) && all[3] == (rank ? 10 : 11) && all[0] == 0);
    MPI_Iscatter(all, 4, MPI_INT, rank ? sums : MPI_IN_PLACE, 4, MPI_INT, 0, WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 32, MPI_INT, WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    /* The ends of a line have a neighbour less: their pieces keep their values. */
    MPI_Cart_create(WORLD, 1, (int[]){2}, (int[]){0}, 0, &line);
    fill(all, 4, 900);
    MPI_Ineighbor_allgather(mine, 2, MPI_INT, all, 2, MPI_INT, line, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(rank ? holds(all, 2, 0) && holds(all + 2, 2, 902) : holds(all, 2, 900) && holds(all + 2, 2, 10));
    MPI_Comm_free(&line);
    /* Complete from the beginning, perhaps with one handle for all of them. */
    MPI_Request both[2], moved[2];
    int a = 1, b = 2, c = 0, d = 0;
    MPI_Iallreduce(&a, &c, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &both[0]);
    MPI_Iallreduce(&b, &d, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &both[1]);
    moved[0] = both[1], moved[1] = both[0];
    MPI_Wait(&moved[0], MPI_STATUS_IGNORE);
    EXPECT(d == 2);
    b = 5;
    MPI_Wait(&moved[1], MPI_STATUS_IGNORE);
    EXPECT(c == 1 && d == 2);
}

static void accesses(void)
{
    int *memory, got[4], zero = 0, old = -1, sum[2] = {0, 0};
    MPI_Win window;
    MPI_Request request;
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    fill(memory, 8, 100 * rank);
    MPI_Barrier(WORLD);
    MPI_Win_fence(0, window);
    fill(got, 4, -1);
    MPI_Get(got, 4, MPI_INT, other, 2, 4, MPI_INT, window);
    MPI_Win_fence(0, window);
    EXPECT(holds(got, 4, 100 * other + 2));
    MPI_Win_lock_all(0, window);
    fill(got, 4, -1);
    MPI_Get(got, 2, MPI_INT, other, 0, 2, MPI_INT, window);
    MPI_Win_flush_local(other, window);
    EXPECT(holds(got, 2, 100 * other) && got[2] == 1);
    MPI_Rget(got, 4, MPI_INT, other, 4, 4, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(holds(got, 4, 100 * other + 4));
    got[0] = 9;
    MPI_Win_flush_all(window);
    EXPECT(got[0] == 9);
    MPI_Fetch_and_op(NULL, &old, MPI_INT, other, 1, MPI_NO_OP, window);
    MPI_Get_accumulate(&zero, 1, MPI_INT, sum, 1, MPI_INT, other, 2, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_flush(other, window);
    EXPECT(old == 100 * other + 1 && sum[0] == 100 * other + 2 && sum[1] == 0);
    zero = 7;
    MPI_Win_unlock_all(window);
    MPI_Barrier(WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);
    MPI_Get(got, 4, MPI_INT, other, 3, 4, MPI_INT, window);
    MPI_Win_unlock(other, window);
    EXPECT(holds(got, 4, 100 * other + 3));
    MPI_Win_free(&window);
}

static void matched(void)
{
    int in[6] = {0}, out[6];
    MPI_Message message;
    MPI_Request requests[2];
    fill(out, 6, 30 * rank);
    MPI_Isend(out, 6, MPI_INT, other, 8, WORLD, &requests[0]);
    MPI_Mprobe(other, 8, WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(in, 6, MPI_INT, &message, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT(holds(in, 6, 30 * other));
#if MPI_VERSION >= 4
    MPI_Isendrecv(out, 6, MPI_INT, other, 9, in, 6, MPI_INT, other, 9, WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Isendrecv_replace(in, 6, MPI_INT, other, 9, other, 9, WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    EXPECT(holds(in, 6, 30 * rank));
#endif
}

static void truncated(void)
{
    int in[4] = {1, 2, 3, 4}, out[8], code;
    MPI_Request requests[2];
    MPI_Comm own;
    MPI_Comm_dup(WORLD, &own);
    MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    fill(out, 8, 50);
    MPI_Irecv(in, 2, MPI_INT, other, 1, own, &requests[0]);
    MPI_Irecv(in + 2, 2, MPI_INT, other, 2, own, &requests[1]);
    MPI_Send(out, 2, MPI_INT, other, 1, own);
    MPI_Send(out + 2, 2, MPI_INT, other, 2, own);
    code = MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT(code == MPI_SUCCESS && holds(in, 4, 50));
    MPI_Comm_free(&own);
}

/* Completed in a callback. */
static int deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    return MPI_Wait(value, MPI_STATUS_IGNORE);
}

static void in_callback(void)
{
    int in[500], out[500], key;
    MPI_Request request;
    fill(in, 500, 0);
    fill(out, 500, 60 * rank);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &key, NULL);
    MPI_Irecv(in, 500, MPI_INT, other, 10, WORLD, &request);
    MPI_Comm_set_attr(WORLD, key, &request);
    MPI_Send(out, 500, MPI_INT, other, 10, WORLD);
    MPI_Comm_delete_attr(WORLD, key);
    EXPECT(holds(in, 500, 60 * other));
    MPI_Comm_free_keyval(&key);
}

static void file(void)
{
    char name[] = "buffers_right.out";
    int out[100], in[100];
    MPI_File handle;
    MPI_Request request;
    MPI_Status status;
    fill(out, 100, rank);
    fill(in, 100, 0);
    MPI_File_open(MPI_COMM_SELF, rank ? "buffers_right.1" : name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &handle);
    MPI_File_set_errhandler(handle, MPI_ERRORS_ARE_FATAL);
    MPI_File_iwrite_at(handle, 0, out, 100, MPI_INT, &request);
    MPI_Wait(&request, &status);
    fill(out, 100, 0);
    MPI_File_iread_at(handle, 0, in, 100, MPI_INT, &request);
    MPI_Wait(&request, &status);
    EXPECT(holds(in, 100, rank));
    MPI_File_close(&handle);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    other = 1 - rank;
    shorter(5, 3);
    shorter(N, N - 700);
    shorter(N, N);
    for (int way = 0; way < 7; way++)
        many(way);
    cancelled();
    persistent();
    types();
    collectives();
    accesses();
    matched();
    truncated();
    in_callback();
    file();
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, WORLD);
    if (rank == 0 && !failures)
        puts("right");
    MPI_Finalize();
    return failures > 0;
}
