/* callmix, part 5: what MPI-4 added: large-count twins (`_c`), MPI_Isendrecv, partitioned
 * communication, info and error functions. Nothing where the header is older. */
#include "callmix.h"

#if MPI_VERSION >= 4
static void messages(const struct ring *r)
{
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request request, other;
    MPI_Status status;
    MPI_Count n;
    int out[8] = {r->rank, 1, 2, 3, 4, 5, 6, 7}, in[8] = {-1};

    CALL(MPI_Irecv_c, in, 8, MPI_INT, r->left, 50, world, &request);
    CALL(MPI_Send_c, out, 5, MPI_INT, r->right, 50, world);
    CALL(MPI_Wait, &request, &status);
    CALL(MPI_Get_count_c, &status, MPI_INT, &n);
    CHECK(n == 5 && in[0] == r->left);
    CALL(MPI_Isend_c, out, 6, MPI_INT, r->right, 51, world, &request);
    CALL(MPI_Recv_c, in, 8, MPI_INT, r->left, 51, world, &status);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    CALL(MPI_Get_elements_c, &status, MPI_INT, &n);
    CHECK(n == 6);
    CALL(MPI_Sendrecv_c, out, 7, MPI_INT, r->right, 52, in, 8, MPI_INT, r->left, 52, world, &status);
    CHECK(in[6] == 6);
    CALL(MPI_Isendrecv, out, 2, MPI_INT, r->right, 53, in, 8, MPI_INT, r->left, 53, world, &request);
    CALL(MPI_Wait, &request, &status);
    CHECK(in[0] == r->left);
    CALL(MPI_Isendrecv_replace, in, 1, MPI_INT, r->right, 54, r->left, 54, world, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    CHECK(in[0] == (r->left + r->size - 1) % r->size);

    /* Two partitions of four ints. */
    CALL(MPI_Psend_init, out, 2, 4, MPI_INT, r->right, 55, world, MPI_INFO_NULL, &request);
    CALL(MPI_Precv_init, in, 2, 4, MPI_INT, r->left, 55, world, MPI_INFO_NULL, &other);
    CALL(MPI_Start, &other);
    CALL(MPI_Start, &request);
    CALL(MPI_Pready, 1, request);
    CALL(MPI_Pready_range, 0, 0, request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    int flag;
    do
        CALL(MPI_Parrived, other, 1, &flag);
    while (!flag);
    CALL(MPI_Wait, &other, MPI_STATUS_IGNORE);
    CHECK(in[0] == r->left && in[7] == 7);
    CALL(MPI_Request_free, &request);
    CALL(MPI_Request_free, &other);
}

static void collectives(const struct ring *r)
{
    MPI_Comm world = MPI_COMM_WORLD;
    int out[MAX_RANKS], in[MAX_RANKS], all[MAX_RANKS];
    MPI_Count counts[MAX_RANKS];
    MPI_Aint displs[MAX_RANKS];
    MPI_Request request;
    for (int i = 0; i < r->size; i++) {
        out[i] = r->rank + 1;
        counts[i] = 1;
        displs[i] = i;
    }
    CALL(MPI_Bcast_c, out, 1, MPI_INT, 0, world);
    CHECK(out[0] == 1);
    out[0] = r->rank + 1;
    CALL(MPI_Allreduce_c, out, in, 1, MPI_INT, MPI_SUM, world);
    CHECK(in[0] == r->size * (r->size + 1) / 2);
    CALL(MPI_Reduce_c, out, in, 1, MPI_INT, MPI_MAX, 0, world);
    CHECK(r->rank != 0 || in[0] == r->size);
    CALL(MPI_Gather_c, out, 1, MPI_INT, all, 1, MPI_INT, 0, world);
    CHECK(r->rank != 0 || all[r->size - 1] == r->size);
    CALL(MPI_Allgather_c, out, 1, MPI_INT, all, 1, MPI_INT, world);
    CHECK(all[r->size - 1] == r->size);
    CALL(MPI_Alltoallv_c, out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, world);
    CHECK(in[r->size - 1] == r->size);
    CALL(MPI_Iallreduce_c, out, in, 1, MPI_INT, MPI_MIN, world, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    CHECK(in[0] == 1);
}

static void objects(const struct ring *r)
{
    MPI_Datatype t;
    MPI_Count n, lower, extent, at = 0;
    MPI_Count lens[2] = {1, 1}, displs[2] = {0, 8};
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    int word = r->rank, back = -1, len = 16, flag;
    char packed[64], value[16];
    MPI_Info info;
    MPI_Win win;
    static _Alignas(64) int target; /* aligned: see callmix_rma.c */

    CALL(MPI_Type_contiguous_c, 3, MPI_INT, &t);
    CALL(MPI_Type_commit, &t);
    CALL(MPI_Type_size_c, t, &n);
    CALL(MPI_Type_get_extent_c, t, &lower, &extent);
    CHECK(n == 12 && extent == 12);
    CALL(MPI_Type_free, &t);
    CALL(MPI_Type_vector_c, 2, 1, 3, MPI_INT, &t);
    CALL(MPI_Type_free, &t);
    CALL(MPI_Type_create_struct_c, 2, lens, displs, types, &t);
    CALL(MPI_Type_size_c, t, &n);
    CHECK(n == 12);
    CALL(MPI_Type_free, &t);
    CALL(MPI_Pack_size_c, 1, MPI_INT, MPI_COMM_WORLD, &n);
    CALL(MPI_Pack_c, &word, 1, MPI_INT, packed, sizeof packed, &at, MPI_COMM_WORLD);
    at = 0;
    CALL(MPI_Unpack_c, packed, sizeof packed, &at, &back, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(back == word);

    CALL(MPI_Info_create, &info);
    CALL(MPI_Info_set, info, "key", "value");
    CALL(MPI_Info_get_string, info, "key", &len, value, &flag);
    CHECK(flag && strcmp(value, "value") == 0);
    CALL(MPI_Info_free, &info);

    target = 0;
    CALL(MPI_Win_create_c, &target, sizeof target, sizeof target, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    CALL(MPI_Win_fence, 0, win);
    word++;
    CALL(MPI_Put_c, &word, 1, MPI_INT, r->right, 0, 1, MPI_INT, win);
    CALL(MPI_Win_fence, 0, win);
    CHECK(target == r->left + 1);
    CALL(MPI_Get_c, &back, 1, MPI_INT, r->right, 0, 1, MPI_INT, win);
    CALL(MPI_Win_fence, 0, win);
    CHECK(back == r->rank + 1);
    CALL(MPI_Win_free, &win);
}
#endif

void callmix_large(const struct ring *r)
{
    (void)r;
#if MPI_VERSION >= 4
    messages(r);
    collectives(r);
    objects(r);
#endif
}
