// oddities: legal things that programs do around MPI calls, and that tools trip over.
//
//   oddities PREFIX CASE...      cases: throw longjmp fork exec callbacks io neighbours
//
// MPI_Finalize is called by a function of atexit. Each rank writes its own tally of calls to PREFIX.<rank>, lines
// `MPI_Send 3`; what is called from callbacks counts as well. Prints the same under any tool.
#include <mpi.h>
#include <setjmp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>

static std::map<std::string, long> *tally;
static std::string prefix;
static int rank, size;
#define CALL(function, ...) (++(*tally)[#function], function(__VA_ARGS__))

static void finish()
{
    CALL(MPI_Finalize);
    FILE *file = fopen((prefix + "." + std::to_string(rank)).c_str(), "w");
    for (auto &one : *tally) fprintf(file, "%s %ld\n", one.first.c_str(), one.second);
    fclose(file);
}

struct refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

static jmp_buf back;
static void thrower(MPI_Comm *, int *code, ...)
{
    int kind;
    CALL(MPI_Error_class, *code, &kind);
    throw refused(kind == MPI_ERR_RANK ? "a wrong rank" : "something else");
}
static void jumper(MPI_Comm *, int *, ...) { longjmp(back, 1); }

static MPI_Comm with_handler(MPI_Comm_errhandler_function *function)
{
    MPI_Comm copy;
    MPI_Errhandler handler;
    CALL(MPI_Comm_dup, MPI_COMM_WORLD, &copy);
    CALL(MPI_Comm_create_errhandler, function, &handler);
    CALL(MPI_Comm_set_errhandler, copy, handler);
    CALL(MPI_Errhandler_free, &handler);
    return copy;
}

static void throws()
{
    MPI_Comm copy = with_handler(thrower);
    int caught = 0, one = 1, sum = 0;
    for (int i = 0; i < 5; i++) {
        try {
            CALL(MPI_Send, &one, 1, MPI_INT, size + 7, 0, copy);
        } catch (const refused &error) {
            caught += std::string(error.what()) == "a wrong rank";
        }
        CALL(MPI_Allreduce, &one, &sum, 1, MPI_INT, MPI_SUM, copy);
    }
    CALL(MPI_Comm_free, &copy);
    if (rank == 0) printf("throw: %d caught, %d\n", caught, sum);
}

static void jumps()
{
    MPI_Comm copy = with_handler(jumper);
    volatile int jumped = 0;
    int one = 1, sum = 0;
    for (volatile int i = 0; i < 5; i = i + 1) {
        if (setjmp(back) == 0)
            CALL(MPI_Recv, &one, 1, MPI_INT, size + 7, 0, copy, MPI_STATUS_IGNORE);
        else
            jumped = jumped + 1;
        CALL(MPI_Allreduce, &one, &sum, 1, MPI_INT, MPI_SUM, copy);
    }
    CALL(MPI_Comm_free, &copy);
    if (rank == 0) printf("longjmp: %d back, %d\n", static_cast<int>(jumped), sum);
}

static void forks(bool executes)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (executes) {
            execl("/bin/sh", "sh", "-c", "exit 5", static_cast<char *>(nullptr));
            _exit(1);
        }
        // No MPI here; memory is the child's own.
        delete new std::string(100000, 'x');
        _exit(5);
    }
    waitpid(child, &status, 0);
    CALL(MPI_Barrier, MPI_COMM_WORLD);
    if (rank == 0) printf("%s: %d\n", executes ? "exec" : "fork", WEXITSTATUS(status));
}

static void sum_of(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int bytes;
    CALL(MPI_Type_size, *type, &bytes);
    for (int i = 0; i < *count; i++) static_cast<int *>(inout)[i] += static_cast<int *>(in)[i];
}
static int copies(MPI_Comm comm, int, void *, void *in, void *out, int *flag)
{
    int n;
    CALL(MPI_Comm_size, comm, &n);
    *static_cast<void **>(out) = in;
    return *flag = 1, MPI_SUCCESS;
}
static int deletes(MPI_Comm comm, int, void *, void *)
{
    int n;
    return CALL(MPI_Comm_rank, comm, &n);
}

static void callbacks()
{
    MPI_Op op;
    MPI_Comm copy, again;
    int key, mine[4] = {1, 2, 3, 4}, all[4] = {0};
    CALL(MPI_Op_create, sum_of, 1, &op);
    CALL(MPI_Allreduce, mine, all, 4, MPI_INT, op, MPI_COMM_WORLD);
    CALL(MPI_Op_free, &op);
    CALL(MPI_Comm_create_keyval, copies, deletes, &key, nullptr);
    CALL(MPI_Comm_dup, MPI_COMM_WORLD, &copy);
    CALL(MPI_Comm_set_attr, copy, key, &key);
    CALL(MPI_Comm_dup, copy, &again);
    CALL(MPI_Comm_free, &again);
    CALL(MPI_Comm_delete_attr, copy, key);
    CALL(MPI_Comm_free_keyval, &key);
    CALL(MPI_Comm_free, &copy);
    if (rank == 0) printf("callbacks: %d\n", all[3]);
}

// Split collectives, non-blocking ones, the shared pointer; each rank has blocks of its own.
static void io()
{
    MPI_File file;
    MPI_Request request;
    MPI_Status status;
    MPI_Datatype block;
    int data[8], got[8], n = 0, wrong = 0;
    for (int i = 0; i < 8; i++) data[i] = 100 * rank + i;
    CALL(MPI_File_open, MPI_COMM_WORLD, (prefix + ".data").c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    CALL(MPI_Type_contiguous, 8, MPI_INT, &block);
    CALL(MPI_Type_commit, &block);
    MPI_Offset at = static_cast<MPI_Offset>(rank) * sizeof data;
    CALL(MPI_File_write_at_all_begin, file, at, data, 1, block);
    CALL(MPI_File_write_at_all_end, file, data, &status);
    CALL(MPI_Get_count, &status, MPI_INT, &n);
    wrong += n != 8;
    CALL(MPI_File_sync, file);
    CALL(MPI_Barrier, MPI_COMM_WORLD);
    CALL(MPI_File_set_view, file, at, MPI_INT, block, "native", MPI_INFO_NULL);
    CALL(MPI_File_read_all_begin, file, got, 8, MPI_INT);
    CALL(MPI_File_read_all_end, file, got, &status);
    wrong += memcmp(data, got, sizeof data) != 0;
    CALL(MPI_File_iwrite_at_all, file, 0, data, 8, MPI_INT, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    memset(got, 0, sizeof got);
    CALL(MPI_File_iread_at, file, 0, got, 8, MPI_INT, &request);
    CALL(MPI_Wait, &request, &status);
    CALL(MPI_Get_count, &status, MPI_INT, &n);
    wrong += n != 8 || memcmp(data, got, sizeof data) != 0;
    CALL(MPI_File_seek, file, 0, MPI_SEEK_SET);
    CALL(MPI_File_iread_all, file, got, 4, MPI_INT, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    CALL(MPI_File_read_ordered_begin, file, got, 0, MPI_INT);
    CALL(MPI_File_read_ordered_end, file, got, MPI_STATUS_IGNORE);
    CALL(MPI_Type_free, &block);
    CALL(MPI_File_close, &file);
    if (rank == 0) printf("io: %d wrong\n", wrong);
}

static void neighbours()
{
    MPI_Comm ring;
    MPI_Request request;
    int period = 1, mine = rank, got[2] = {-1, -1}, out[2] = {rank, rank}, wrong = 0;
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    CALL(MPI_Cart_create, MPI_COMM_WORLD, 1, &size, &period, 0, &ring);
    CALL(MPI_Neighbor_allgather, &mine, 1, MPI_INT, got, 1, MPI_INT, ring);
    wrong += got[0] != left || got[1] != right;
    CALL(MPI_Ineighbor_alltoall, out, 1, MPI_INT, got, 1, MPI_INT, ring, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    wrong += got[0] != left || got[1] != right;
    CALL(MPI_Comm_free, &ring);
    int from = left, to = right;
    CALL(MPI_Dist_graph_create_adjacent, MPI_COMM_WORLD, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    CALL(MPI_Ineighbor_allgather, &mine, 1, MPI_INT, got, 1, MPI_INT, ring, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    wrong += got[0] != left;
    CALL(MPI_Comm_free, &ring);
    if (rank == 0) printf("neighbours: %d wrong\n", wrong);
}

int main(int argc, char **argv)
{
    tally = new std::map<std::string, long>;
    prefix = argv[1];
    atexit(finish);
    CALL(MPI_Init, &argc, &argv);
    CALL(MPI_Comm_rank, MPI_COMM_WORLD, &rank);
    CALL(MPI_Comm_size, MPI_COMM_WORLD, &size);
    for (int i = 2; i < argc; i++) {
        std::string name = argv[i];
        if (name == "throw") throws();
        if (name == "longjmp") jumps();
        if (name == "fork") forks(false);
        if (name == "exec") forks(true);
        if (name == "callbacks") callbacks();
        if (name == "io") io();
        if (name == "neighbours") neighbours();
        fflush(stdout);
    }
    return 0;
}
