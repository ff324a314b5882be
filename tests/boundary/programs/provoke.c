/* One failure of an MPI program for each name: `provoke NAME`. Rank 1 makes the mistake, unless all must. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static int rank, size, data[4096], more[4096];
static volatile int zero;
static volatile size_t far = 64;

static int is(const char *name, const char *wanted) { return strcmp(name, wanted) == 0; }

static void limit(int what, rlim_t bytes) {
    struct rlimit l = {bytes, bytes};
    setrlimit(what, &l);
}

static __attribute__((noinline)) int deep(int n) {
    volatile char frame[4096];
    frame[0] = (char)n;
    return n ? deep(n + 1) + frame[0] : 0;
}

/* Stores that the compiler keeps. */
static __attribute__((noinline)) void spoil(volatile char *at, size_t bytes) {
    for (size_t n = 0; n < bytes; n++) at[n] = 0x41;
}

static __attribute__((noinline)) void smash(void) {
    char small[8];
    spoil(small, far);
}

/* Errors of files are returned: prints them as programs do. */
static void must(int code) {
    char text[MPI_MAX_ERROR_STRING];
    int length;
    if (code == MPI_SUCCESS) return;
    MPI_Error_string(code, text, &length);
    fprintf(stderr, "%s\n", text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Before MPI_Init. */
static void before(const char *name) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (is(name, "before-init")) MPI_Send(data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (is(name, "before-init-comm-size")) MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (is(name, "before-init-wait")) MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (is(name, "no-init")) exit(0);
    if (is(name, "exit-before-init") && getenv("OMPI_COMM_WORLD_RANK") && atoi(getenv("OMPI_COMM_WORLD_RANK")) == 1) exit(3);
    if (is(name, "exit-before-init") && getenv("PMI_RANK") && atoi(getenv("PMI_RANK")) == 1) exit(3);
}

/* A mistake that all ranks make. */
static void all(const char *name) {
    MPI_Comm comm;
    MPI_Win win;
    MPI_File file;
    if (is(name, "truncated")) {
        if (rank == 0) MPI_Send(data, 100, MPI_INT, 1, 0, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(data, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (is(name, "truncated-bcast")) MPI_Bcast(data, rank == 0 ? 100 : 10, MPI_INT, 0, MPI_COMM_WORLD);
    if (is(name, "truncated-wait")) {
        MPI_Request r;
        if (rank == 0) MPI_Send(data, 100, MPI_INT, 1, 0, MPI_COMM_WORLD);
        if (rank == 1) MPI_Irecv(data, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, &r), MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (is(name, "truncated-waitall")) {
        MPI_Request r[2];
        if (rank == 0) MPI_Send(data, 100, MPI_INT, 1, 0, MPI_COMM_WORLD), MPI_Send(data, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        if (rank == 1) {
            MPI_Irecv(data, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, r);
            MPI_Irecv(more, 10, MPI_INT, 0, 1, MPI_COMM_WORLD, r + 1);
            MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (is(name, "no-such-file")) must(MPI_File_open(MPI_COMM_WORLD, "/nonexistent/directory/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    if (is(name, "file-amode")) must(MPI_File_open(MPI_COMM_WORLD, "x", MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
    if (is(name, "cart-dims")) {
        int dims[2] = {100, 100}, periods[2] = {0, 0};
        MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    }
    if (is(name, "in-place")) MPI_Allgather(data, 1, MPI_INT, data, 1, MPI_INT, MPI_COMM_WORLD);
    if (is(name, "spawn")) MPI_Comm_spawn("/nonexistent/program", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm, MPI_ERRCODES_IGNORE);
    if (is(name, "win-bounds") || is(name, "win-no-epoch")) {
        MPI_Win_create(data, 16, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        if (is(name, "win-bounds")) MPI_Win_fence(0, win), MPI_Put(more, 1, MPI_INT, 99, 0, 1, MPI_INT, win);
        else MPI_Put(more, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
    }
    if (is(name, "win-unlock")) {
        MPI_Win_create(data, 16, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_unlock(0, win);
    }
    if (is(name, "too-many-comms")) for (;;) MPI_Comm_dup(MPI_COMM_SELF, &comm);
    if (is(name, "twice-init")) MPI_Init(NULL, NULL);
    if (is(name, "port")) MPI_Comm_connect("no port", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm);
    if (is(name, "lookup")) { char port[MPI_MAX_PORT_NAME]; MPI_Lookup_name("no-such-service", MPI_INFO_NULL, port); }
    if (is(name, "count-mismatch-reduce")) MPI_Allreduce(data, more, rank == 0 ? 2000 : 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (is(name, "shm-full")) {
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
        void *base;
        MPI_Win_allocate_shared((MPI_Aint)1 << 44, 1, MPI_INFO_NULL, comm, &base, &win);
        memset(base, 1, (size_t)1 << 44);
    }
    if (is(name, "exit-without-finalize")) exit(0);
}

/* A mistake of rank 1. */
static void one(const char *name) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype type;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Info info;
    MPI_Op op;
    void *pointer;
    int flag, ranks[2] = {0, 99};
    if (is(name, "rank")) MPI_Send(data, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    if (is(name, "rank-negative")) MPI_Send(data, 1, MPI_INT, -55, 0, MPI_COMM_WORLD);
    if (is(name, "rank-recv")) MPI_Recv(data, 1, MPI_INT, 99, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is(name, "tag")) MPI_Send(data, 1, MPI_INT, 0, -7, MPI_COMM_WORLD);
    if (is(name, "tag-large")) MPI_Send(data, 1, MPI_INT, 0, 2147483647, MPI_COMM_WORLD);
    if (is(name, "count")) MPI_Send(data, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (is(name, "buffer")) MPI_Send(NULL, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (is(name, "comm-null")) MPI_Send(data, 1, MPI_INT, 0, 0, MPI_COMM_NULL);
    if (is(name, "comm-garbage")) MPI_Comm_rank((MPI_Comm)(intptr_t)0x12345678, &flag);
    if (is(name, "comm-free-world")) comm = MPI_COMM_WORLD, MPI_Comm_free(&comm);
    if (is(name, "type-null")) MPI_Send(data, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD);
    if (is(name, "type-uncommitted")) MPI_Type_contiguous(2, MPI_INT, &type), MPI_Send(data, 1, type, 0, 0, MPI_COMM_WORLD);
    if (is(name, "type-free")) type = MPI_INT, MPI_Type_free(&type);
    if (is(name, "type-arg")) MPI_Type_vector(-1, 1, 1, MPI_INT, &type);
    if (is(name, "op-null")) MPI_Reduce(data, more, 1, MPI_INT, MPI_OP_NULL, 0, MPI_COMM_WORLD);
    if (is(name, "op-type")) MPI_Allreduce(data, more, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_SELF);
    if (is(name, "op-free")) op = MPI_SUM, MPI_Op_free(&op);
    if (is(name, "root")) MPI_Bcast(data, 1, MPI_INT, 99, MPI_COMM_WORLD);
    if (is(name, "alias")) MPI_Allreduce(data, data, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    if (is(name, "group-rank")) MPI_Comm_group(MPI_COMM_WORLD, &group), MPI_Group_incl(group, 2, ranks, &group);
    if (is(name, "group-null")) MPI_Group_size(MPI_GROUP_NULL, &flag);
    if (is(name, "request-free")) MPI_Request_free(&request);
    if (is(name, "request-start")) MPI_Start(&request);
    if (is(name, "request-garbage")) { memset(&request, 0x5a, sizeof request); if (sizeof request == 4) MPI_Wait(&request, MPI_STATUS_IGNORE); else request = NULL, MPI_Wait(&request, MPI_STATUS_IGNORE); }
    if (is(name, "bsend")) MPI_Bsend(data, 100, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (is(name, "bsend-attach")) MPI_Buffer_attach(data, 100), MPI_Buffer_attach(more, 100);
    if (is(name, "info-null")) MPI_Info_set(MPI_INFO_NULL, "a", "b");
    if (is(name, "info-key")) { MPI_Info_create(&info); char key[1000]; memset(key, 'k', 999), key[999] = 0; MPI_Info_set(info, key, "b"); }
    if (is(name, "keyval")) MPI_Comm_get_attr(MPI_COMM_WORLD, -4711, &pointer, &flag);
    if (is(name, "keyval-free")) flag = MPI_TAG_UB, MPI_Comm_free_keyval(&flag);
    if (is(name, "topology")) { int coords[1]; MPI_Cart_coords(MPI_COMM_WORLD, 0, 1, coords); }
    if (is(name, "dims")) { int dims[2] = {7, 0}; MPI_Dims_create(16, 2, dims); }
    if (is(name, "errhandler")) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL);
    if (is(name, "win-null")) MPI_Win_fence(0, MPI_WIN_NULL);
    if (is(name, "win-size")) { MPI_Win win; MPI_Win_create(data, -1, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win); }
    if (is(name, "win-disp")) { MPI_Win win; MPI_Win_create(data, 16, 0, MPI_INFO_NULL, MPI_COMM_SELF, &win); }
    if (is(name, "unpack")) { flag = 0; MPI_Unpack(data, 2, &flag, more, 10, MPI_INT, MPI_COMM_WORLD); }
    if (is(name, "pack")) { flag = 0; MPI_Pack(data, 10, MPI_INT, more, 2, &flag, MPI_COMM_WORLD); }
    if (is(name, "split-color")) MPI_Comm_split(MPI_COMM_SELF, -55, 0, &comm);
    if (is(name, "intercomm")) MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &comm);
    if (is(name, "alloc-mem")) MPI_Alloc_mem((MPI_Aint)1 << 60, MPI_INFO_NULL, &pointer);
    if (is(name, "abort")) MPI_Abort(MPI_COMM_WORLD, 42);
    if (is(name, "abort-self")) MPI_Abort(MPI_COMM_SELF, 5);
    if (is(name, "exit")) exit(7);
    if (is(name, "exit-0")) exit(0);
    if (is(name, "segv")) *(volatile int *)(uintptr_t)zero = 1;
    if (is(name, "fpe")) printf("%d\n", 7 / zero);
    if (is(name, "ill")) __builtin_trap();
    if (is(name, "bus")) {
        FILE *empty = tmpfile();
        volatile char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(empty), 0);
        page[0] = 1;
    }
    if (is(name, "kill")) raise(SIGKILL);
    if (is(name, "term")) raise(SIGTERM);
    if (is(name, "libc-abort")) abort();
    if (is(name, "xcpu")) raise(SIGXCPU);
    if (is(name, "pipe")) raise(SIGPIPE);
    if (is(name, "int")) raise(SIGINT);
    if (is(name, "double-free")) { pointer = malloc(2000); free(pointer); free(pointer); }
    if (is(name, "free-invalid")) free((char *)malloc(100) + 8 + zero);
    if (is(name, "heap")) {
        char *first = malloc(2000), *second = malloc(2000);
        spoil(first, 2000 + far);
        free(second), free(first);
    }
    if (is(name, "smash")) smash();
    if (is(name, "stack")) printf("%d\n", deep(1));
    if (is(name, "out-of-memory")) {
        limit(RLIMIT_AS, (rlim_t)256 << 20);
        pointer = malloc((size_t)1 << 40);
        if (!pointer) perror("provoke: malloc"), MPI_Abort(MPI_COMM_WORLD, 12);
    }
    if (is(name, "files")) {
        limit(RLIMIT_NOFILE, 16);
        while (tmpfile()) continue;
        perror("provoke: tmpfile");
        MPI_Abort(MPI_COMM_WORLD, 24);
    }
    if (is(name, "filesize")) {
        limit(RLIMIT_FSIZE, 10);
        FILE *full = tmpfile();
        fwrite(data, 1, sizeof data, full), fflush(full);
    }
    if (is(name, "dlopen")) fprintf(stderr, "%s\n", dlopen("libnonexistent.so.7", RTLD_NOW) ? "" : dlerror()), MPI_Abort(MPI_COMM_WORLD, 1);
    if (is(name, "assert")) { fprintf(stderr, "provoke: provoke.c:99: one: Assertion `zero == 1' failed.\n"); abort(); }
    if (is(name, "no-space")) { FILE *full = fopen("/dev/full", "w"); setbuf(full, NULL); if (fwrite(data, 1, 10, full) < 10) perror("provoke: write"), MPI_Abort(MPI_COMM_WORLD, 28); }
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "healthy";
    before(name);
    int level, wanted = is(name, "threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, wanted, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (is(name, "healthy")) printf("rank %d of %d: no error\n", rank, size);
    all(name);
    if (rank == 1) one(name);
    if (is(name, "twice-finalize")) MPI_Finalize();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (is(name, "after-finalize")) MPI_Barrier(MPI_COMM_WORLD);
    if (is(name, "exit-after")) return 9;
    return 0;
}
