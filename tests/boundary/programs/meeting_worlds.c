/* meeting_worlds: parents and children that speak to each other, with a mistake that is named.
 *
 *   meeting_worlds CASE            cases: right silent type root merged split port, and self, in which each rank spawns
 *   meeting_worlds accept FILE     a job, and
 *   meeting_worlds connect FILE    another one, which find each other by a file
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static const char *mistake;

static int is(const char *what)
{
    return strcmp(mistake, what) == 0;
}

static MPI_Comm spawn(char *program, int many, MPI_Comm comm)
{
    MPI_Comm children;
    char *words[] = {(char *)mistake, NULL};
    MPI_Comm_spawn(program, words, many, MPI_INFO_NULL, 0, comm, &children, MPI_ERRCODES_IGNORE);
    return children;
}

static void talk(MPI_Comm other, int is_child)
{
    MPI_Comm merged, half;
    /* Either type has a place there. */
    union { int whole; float real; } value = {rank}, got = {0};
    int all, place;
    if (is_child && rank == 1 && !is("silent"))
        MPI_Send(&value, 1, MPI_INT, 0, 7, other);
    if (!is_child && rank == 0 && is("type"))
        MPI_Recv(&got, 1, MPI_FLOAT, 1, 7, other, MPI_STATUS_IGNORE);
    else if (!is_child && rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 7, other, MPI_STATUS_IGNORE);
    MPI_Bcast(&value, 1, is("root") && is_child ? MPI_FLOAT : MPI_INT,
              is_child ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, other);
    MPI_Intercomm_merge(other, is_child, &merged);
    MPI_Comm_rank(merged, &place);
    MPI_Comm_size(merged, &all);
    /* To the next one, which is of the other world for the last ones of each. */
    MPI_Sendrecv(&value, 1, MPI_INT, (place + 1) % all, 3, &got, 1,
                 is("merged") && place == 0 ? MPI_FLOAT : MPI_INT, (place + all - 1) % all, 3, merged, MPI_STATUS_IGNORE);
    MPI_Comm_split(merged, place % 2, -place, &half);
    MPI_Allreduce(&value, &got, 1, is("split") && is_child ? MPI_FLOAT : MPI_INT, MPI_SUM, half);
    MPI_Comm_free(&half);
    MPI_Comm_free(&merged);
}

/* Two spawned worlds that are strangers to each other. */
static void ports(MPI_Comm parent, char *program)
{
    char name[MPI_MAX_PORT_NAME] = "";
    if (parent == MPI_COMM_NULL) {
        MPI_Comm one = spawn(program, 1, MPI_COMM_WORLD), two = spawn(program, 1, MPI_COMM_WORLD);
        if (rank == 0) {
            int server = 1, client = 0;
            MPI_Send(&server, 1, MPI_INT, 0, 1, one);
            MPI_Recv(name, sizeof name, MPI_CHAR, 0, 2, one, MPI_STATUS_IGNORE);
            MPI_Send(&client, 1, MPI_INT, 0, 1, two);
            MPI_Send(name, sizeof name, MPI_CHAR, 0, 2, two);
        }
        MPI_Comm_disconnect(&one);
        MPI_Comm_disconnect(&two);
        return;
    }
    MPI_Comm other;
    union { int whole; float real; } value = {5};
    int is_server;
    MPI_Recv(&is_server, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE);
    if (is_server) {
        MPI_Open_port(MPI_INFO_NULL, name);
        MPI_Send(name, sizeof name, MPI_CHAR, 0, 2, parent);
        MPI_Comm_accept(name, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
        MPI_Send(&value, 1, MPI_INT, 0, 9, other);
        MPI_Close_port(name);
    } else {
        MPI_Recv(name, sizeof name, MPI_CHAR, 0, 2, parent, MPI_STATUS_IGNORE);
        MPI_Comm_connect(name, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
        MPI_Recv(&value, 1, MPI_FLOAT, 0, 9, other, MPI_STATUS_IGNORE);
    }
    MPI_Comm_disconnect(&other);
    MPI_Comm_disconnect(&parent);
}

/* Each rank spawns one process. */
static void selfs(MPI_Comm parent, char *program)
{
    int value = rank;
    MPI_Comm other = parent;
    if (parent == MPI_COMM_NULL) {
        other = spawn(program, 1, MPI_COMM_SELF);
        MPI_Recv(&value, 1, MPI_INT, 0, 7, other, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 7, other);
    }
    MPI_Comm_disconnect(&other);
}

/* Two jobs. */
static void jobs(const char *path)
{
    char name[MPI_MAX_PORT_NAME] = "", new[4096];
    int value = 5;
    MPI_Comm other;
    if (is("accept")) {
        MPI_Open_port(MPI_INFO_NULL, name);
        snprintf(new, sizeof new, "%s.new", path);
        FILE *file = fopen(new, "w");
        if (!file || fputs(name, file) < 0 || fclose(file) || rename(new, path))
            exit(9);
        MPI_Comm_accept(name, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
        MPI_Send(&value, 1, MPI_INT, 0, 7, other);
        MPI_Close_port(name);
    } else {
        FILE *file;
        while (!(file = fopen(path, "r")))
            usleep(10000);
        if (!fgets(name, sizeof name, file))
            exit(8);
        fclose(file);
        MPI_Comm_connect(name, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
        MPI_Recv(&value, 1, MPI_INT, 0, 7, other, MPI_STATUS_IGNORE);
    }
    MPI_Comm_disconnect(&other);
}

int main(int argc, char **argv)
{
    MPI_Comm other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&other);
    mistake = argv[1];
    if (is("port")) {
        ports(other, argv[0]);
    } else if (is("self")) {
        selfs(other, argv[0]);
    } else if (is("accept") || is("connect")) {
        jobs(argv[2]);
    } else {
        int is_child = other != MPI_COMM_NULL;
        if (!is_child)
            other = spawn(argv[0], 2, MPI_COMM_WORLD);
        talk(other, is_child);
        MPI_Comm_disconnect(&other);
    }
    MPI_Finalize();
    return 0;
}
