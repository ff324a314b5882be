/* callmix, part 4: one-sided communication. Every rank reads and writes its right
 * neighbour's window of eight ints.
 *
 * MPICH before 4.0.3 with UCX 1.13 takes the memory of MPI_Win_create to begin at the last
 * multiple of 16 before it, so that memory is aligned here. Open MPI 4.1 on one rank has no
 * MPI_Win_create (MPI_ERR_WIN). */
#include "callmix.h"

enum { WORDS = 8 };

static void epochs(const struct ring *r, MPI_Win win, int *base)
{
    int word = r->rank + 1, got = 0, flag;
    MPI_Group all, to, from;

    CALL(MPI_Win_fence, MPI_MODE_NOPRECEDE, win);
    CALL(MPI_Put, &word, 1, MPI_INT, r->right, 0, 1, MPI_INT, win);
    CALL(MPI_Accumulate, &word, 1, MPI_INT, r->right, 1, 1, MPI_INT, MPI_SUM, win);
    CALL(MPI_Get, &got, 1, MPI_INT, r->right, 2, 1, MPI_INT, win);
    CALL(MPI_Win_fence, MPI_MODE_NOSUCCEED, win);
    CHECK(base[0] == r->left + 1 && base[1] == r->left + 101 && got == 100);
    CALL(MPI_Barrier, MPI_COMM_WORLD);

    CALL(MPI_Win_get_group, win, &all);
    CALL(MPI_Group_incl, all, 1, &r->right, &to);
    CALL(MPI_Group_incl, all, 1, &r->left, &from);
    CALL(MPI_Win_post, from, 0, win);
    CALL(MPI_Win_start, to, 0, win);
    CALL(MPI_Put, &word, 1, MPI_INT, r->right, 3, 1, MPI_INT, win);
    CALL(MPI_Win_complete, win);
    CALL(MPI_Win_wait, win);
    CHECK(base[3] == r->left + 1);
    CALL(MPI_Win_post, from, 0, win);
    CALL(MPI_Win_start, to, 0, win);
    CALL(MPI_Put, &word, 1, MPI_INT, r->right, 4, 1, MPI_INT, win);
    CALL(MPI_Win_complete, win);
    do
        CALL(MPI_Win_test, win, &flag);
    while (!flag);
    CHECK(base[4] == r->left + 1);
    CALL(MPI_Group_free, &to);
    CALL(MPI_Group_free, &from);
    CALL(MPI_Group_free, &all);
    CALL(MPI_Barrier, MPI_COMM_WORLD);
}

static void locks(const struct ring *r, MPI_Win win)
{
    int word = 7, got = -1, expected = 100, swap = 55;
    MPI_Request request;

    CALL(MPI_Win_lock, MPI_LOCK_EXCLUSIVE, r->right, 0, win);
    CALL(MPI_Put, &word, 1, MPI_INT, r->right, 5, 1, MPI_INT, win);
    CALL(MPI_Win_unlock, r->right, win);

    CALL(MPI_Win_lock_all, 0, win);
    CALL(MPI_Get, &got, 1, MPI_INT, r->right, 5, 1, MPI_INT, win);
    CALL(MPI_Win_flush, r->right, win);
    CHECK(got == 7);
    CALL(MPI_Fetch_and_op, &word, &got, MPI_INT, r->right, 6, MPI_SUM, win);
    CALL(MPI_Win_flush_local, r->right, win);
    CHECK(got == 100);
    CALL(MPI_Compare_and_swap, &swap, &expected, &got, MPI_INT, r->right, 7, win);
    CALL(MPI_Win_flush_all, win);
    CHECK(got == 100);
    CALL(MPI_Get_accumulate, &word, 1, MPI_INT, &got, 1, MPI_INT, r->right, 6, 1, MPI_INT, MPI_SUM, win);
    CALL(MPI_Win_flush, r->right, win);
    CHECK(got == 107);
    CALL(MPI_Accumulate, &word, 1, MPI_INT, r->right, 6, 1, MPI_INT, MPI_SUM, win);
    CALL(MPI_Win_flush_local_all, win);
    CALL(MPI_Win_flush, r->right, win);

    CALL(MPI_Rput, &word, 1, MPI_INT, r->right, 5, 1, MPI_INT, win, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    CALL(MPI_Raccumulate, &word, 1, MPI_INT, r->right, 6, 1, MPI_INT, MPI_SUM, win, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    CALL(MPI_Win_flush, r->right, win);
    CALL(MPI_Rget_accumulate, &word, 1, MPI_INT, &got, 1, MPI_INT, r->right, 6, 1, MPI_INT, MPI_NO_OP, win, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    CHECK(got == 100 + 4 * 7);
    CALL(MPI_Rget, &got, 1, MPI_INT, r->right, 7, 1, MPI_INT, win, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    CHECK(got == 55);
    CALL(MPI_Win_sync, win);
    CALL(MPI_Win_unlock_all, win);
}

static int deleted;

static int delete_value(MPI_Win win, int key, void *value, void *extra)
{
    (void)win, (void)key, (void)value, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

static int handled;

static void handle(MPI_Win *win, int *code, ...)
{
    (void)win, (void)code;
    handled++;
}

static void properties(MPI_Win win)
{
    char name[MPI_MAX_OBJECT_NAME];
    int n, key, flag;
    void *value;
    MPI_Info info;
    MPI_Errhandler handler;
    CALL(MPI_Win_set_name, win, "callmix window");
    CALL(MPI_Win_get_name, win, name, &n);
    CHECK(strcmp(name, "callmix window") == 0);
    CALL(MPI_Win_get_attr, win, MPI_WIN_SIZE, &value, &flag);
    CHECK(flag && *(MPI_Aint *)value == WORDS * sizeof(int));
    CALL(MPI_Win_create_keyval, MPI_WIN_NULL_COPY_FN, delete_value, &key, NULL);
    CALL(MPI_Win_set_attr, win, key, name);
    CALL(MPI_Win_delete_attr, win, key);
    CHECK(deleted == 1);
    deleted = 0;
    CALL(MPI_Win_free_keyval, &key);
    CALL(MPI_Win_get_info, win, &info);
    CALL(MPI_Win_set_info, win, info);
    CALL(MPI_Info_free, &info);
    CALL(MPI_Win_set_errhandler, win, MPI_ERRORS_RETURN);
    CALL(MPI_Win_get_errhandler, win, &handler);
    CHECK(handler == MPI_ERRORS_RETURN);
    CALL(MPI_Win_create_errhandler, handle, &handler);
    CALL(MPI_Win_set_errhandler, win, handler);
    handled = 0;
    CALL(MPI_Win_call_errhandler, win, MPI_ERR_OTHER);
    CHECK(handled == 1);
    CALL(MPI_Win_set_errhandler, win, MPI_ERRORS_ARE_FATAL);
    CALL(MPI_Errhandler_free, &handler);
}

static void reset(int *base)
{
    for (int i = 0; i < WORDS; i++)
        base[i] = 100;
    CALL(MPI_Barrier, MPI_COMM_WORLD);
}

void callmix_rma(const struct ring *r)
{
    MPI_Win win;
    static _Alignas(64) int local[WORDS];
    int *base, unit;
    MPI_Aint bytes, address;
    MPI_Comm node;

    reset(local);
    CALL(MPI_Win_create, local, sizeof local, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    epochs(r, win, local);
    properties(win);
    CALL(MPI_Win_free, &win);

    CALL(MPI_Win_allocate, WORDS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    reset(base);
    locks(r, win);
    CALL(MPI_Win_free, &win);

    CALL(MPI_Comm_split_type, MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    CALL(MPI_Win_allocate_shared, sizeof(int), sizeof(int), MPI_INFO_NULL, node, &base, &win);
    CALL(MPI_Win_fence, 0, win);
    *base = 77;
    CALL(MPI_Win_fence, 0, win);
    CALL(MPI_Win_shared_query, win, 0, &bytes, &unit, &base);
    CHECK(bytes == sizeof(int) && unit == sizeof(int) && *base == 77);
    CALL(MPI_Win_fence, 0, win);
    CALL(MPI_Win_free, &win);
    CALL(MPI_Comm_free, &node);

    CALL(MPI_Win_create_dynamic, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    CALL(MPI_Win_attach, win, local, sizeof local);
    local[0] = 0;
    int word = r->rank + 1;
    CALL(MPI_Get_address, local, &address);
    CALL(MPI_Sendrecv_replace, &address, 1, MPI_AINT, r->left, 41, r->right, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CALL(MPI_Win_lock, MPI_LOCK_SHARED, r->right, 0, win);
    CALL(MPI_Put, &word, 1, MPI_INT, r->right, address, 1, MPI_INT, win);
    CALL(MPI_Win_unlock, r->right, win);
    CALL(MPI_Barrier, MPI_COMM_WORLD);
    CALL(MPI_Win_lock, MPI_LOCK_SHARED, r->rank, 0, win);
    CHECK(local[0] == r->left + 1);
    CALL(MPI_Win_unlock, r->rank, win);
    CALL(MPI_Win_detach, win, local);
    CALL(MPI_Win_free, &win);
}
