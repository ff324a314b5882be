/* nested: MPI calls made from inside callbacks that MPI itself calls.
 *
 *   nested [--reps N]                          default 3
 *
 * Attribute copy and delete functions, a user-made MPI_Op, an error handler and a
 * generalized request's functions all call MPI again. A tool that guards against calls
 * which the library makes to itself sees these in the same place, one level down.
 *
 * Prints for rank 0 how often each function was called by the program itself (`direct`)
 * and from callbacks (`callback`):
 *
 *   nested MPI_Comm_rank direct 4 callback 9
 *
 * then OK. How often an MPI_Op is called is up to the library, so the callback counts
 * may differ between libraries; the direct ones do not. */
#include "common.h"

enum { MAX_NAMES = 64 };
static struct { const char *name; long direct, callback; } counts[MAX_NAMES];
static int in_callback;

static void count_call(const char *name)
{
    int i = 0;
    while (i < MAX_NAMES - 1 && counts[i].name && strcmp(counts[i].name, name) != 0)
        i++;
    counts[i].name = name;
    *(in_callback ? &counts[i].callback : &counts[i].direct) += 1;
}

#define CALL(function, ...) (count_call(#function), function(__VA_ARGS__))

static int copies, deletes, errors, reductions, queries, frees;

static int copy_attribute(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    int rank;
    (void)key, (void)extra;
    in_callback++;
    copies++;
    CALL(MPI_Comm_rank, comm, &rank);
    *(void **)out = in;
    *flag = 1;
    in_callback--;
    return MPI_SUCCESS;
}

static int delete_attribute(MPI_Comm comm, int key, void *value, void *extra)
{
    int size;
    (void)comm, (void)key, (void)value, (void)extra;
    in_callback++;
    deletes++;
    CALL(MPI_Comm_size, MPI_COMM_WORLD, &size);
    in_callback--;
    return MPI_SUCCESS;
}

/* A sum that asks the datatype for its size and times itself. */
static void add(void *in, void *inout, int *len, MPI_Datatype *type)
{
    int bytes;
    in_callback++;
    reductions++;
    double start = CALL(MPI_Wtime);
    CALL(MPI_Type_size, *type, &bytes);
    if (bytes == (int)sizeof(long) && CALL(MPI_Wtime) >= start)
        for (int i = 0; i < *len; i++)
            ((long *)inout)[i] += ((long *)in)[i];
    in_callback--;
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    int class, len;
    char text[MPI_MAX_ERROR_STRING];
    (void)comm;
    in_callback++;
    errors++;
    CALL(MPI_Error_class, *code, &class);
    CALL(MPI_Error_string, *code, text, &len);
    CHECK(class == MPI_ERR_RANK);
    in_callback--;
}

static int query_request(void *extra, MPI_Status *status)
{
    (void)extra;
    in_callback++;
    queries++;
    CALL(MPI_Status_set_elements, status, MPI_INT, 5);
    CALL(MPI_Status_set_cancelled, status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    in_callback--;
    return MPI_SUCCESS;
}

static int free_request(void *extra)
{
    (void)extra;
    frees++;
    return MPI_SUCCESS;
}

static int cancel_request(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    CALL(MPI_Init, &argc, &argv);
    int rank, size, key, reps = opt_long(argc, argv, "--reps", 3);
    MPI_Op op;
    MPI_Errhandler handler;
    MPI_Comm tagged;
    CALL(MPI_Comm_rank, MPI_COMM_WORLD, &rank);
    CALL(MPI_Comm_size, MPI_COMM_WORLD, &size);
    CALL(MPI_Comm_create_keyval, copy_attribute, delete_attribute, &key, NULL);
    CALL(MPI_Op_create, add, 1, &op);
    CALL(MPI_Comm_create_errhandler, on_error, &handler);
    CALL(MPI_Comm_dup, MPI_COMM_WORLD, &tagged);
    CALL(MPI_Comm_set_attr, tagged, key, &key);
    CALL(MPI_Comm_set_errhandler, tagged, handler);

    for (int i = 0; i < reps; i++) {
        MPI_Comm copy;
        MPI_Request request;
        MPI_Status status;
        int flag, got;
        long part[4] = {rank, 1, i, -1}, sum[4];
        void *value;
        CALL(MPI_Comm_dup, tagged, &copy);
        CALL(MPI_Comm_get_attr, copy, key, &value, &flag);
        CHECK(flag && value == &key);
        CALL(MPI_Allreduce, part, sum, 4, MPI_LONG, op, copy);
        CHECK(sum[0] == size * (size - 1L) / 2 && sum[1] == size && sum[3] == -size);
        CALL(MPI_Reduce, part, sum, 4, MPI_LONG, op, 0, copy);
        CALL(MPI_Comm_free, &copy);

        CHECK(CALL(MPI_Send, &i, 1, MPI_INT, size + 5, 0, tagged) != MPI_SUCCESS);

        CALL(MPI_Grequest_start, query_request, free_request, cancel_request, NULL, &request);
        CALL(MPI_Grequest_complete, request);
        CALL(MPI_Wait, &request, &status);
        CALL(MPI_Get_elements, &status, MPI_INT, &got);
        CHECK(got == 5);
    }
    CALL(MPI_Comm_free, &tagged);
    CALL(MPI_Comm_free_keyval, &key);
    CALL(MPI_Errhandler_free, &handler);
    CALL(MPI_Op_free, &op);
    CHECK(copies == reps && deletes == reps + 1 && errors == reps && queries == reps && frees == reps);
    CHECK(size == 1 || reps == 0 || rank != 0 || reductions > 0);
    int failures;
    CALL(MPI_Allreduce, &check_failures, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CALL(MPI_Finalize);
    if (rank == 0) {
        for (int i = 0; i < MAX_NAMES && counts[i].name; i++)
            printf("nested %s direct %ld callback %ld\n", counts[i].name, counts[i].direct, counts[i].callback);
        printf("nested %s\n", failures ? "FAILED" : "OK");
    }
    return failures != 0;
}
