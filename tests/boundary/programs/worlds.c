/* worlds: processes that MPI starts, and worlds that meet.
 *
 *   worlds PREFIX CASE...      cases: spawn multiple port join self
 *
 * Every process, also a spawned one, writes PREFIX.<world>.<rank>: its own tally of MPI calls, lines `MPI_Send 3`. `world`
 * is 0 for the first world and spawned worlds get their number as an argument. Prints what it found out, the same under any tool. */
#include <mpi.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { NAMES = 64 };
static struct { const char *name; long calls; } tally[NAMES];

static void count(const char *name)
{
    int i = 0;
    while (tally[i].name && strcmp(tally[i].name, name) != 0)
        i++;
    tally[i].name = name;
    tally[i].calls++;
}
#define CALL(function, ...) (count(#function), function(__VA_ARGS__))

static int rank, size, world;
static const char *prefix;

static void end(void)
{
    char path[4096];
    CALL(MPI_Finalize);
    snprintf(path, sizeof path, "%s.%d.%d", prefix, world, rank);
    FILE *file = fopen(path, "w");
    for (int i = 0; file && i < NAMES && tally[i].name; i++)
        fprintf(file, "%s %ld\n", tally[i].name, tally[i].calls);
    if (!file || fclose(file) != 0)
        exit(9);
}

/* Over an intercommunicator and what comes of merging it: each side learns the sum of the other's ranks. */
static void meet(MPI_Comm inter, int high, const char *what)
{
    MPI_Comm merged;
    int all, local, remote, sum = 0, mine = rank + 1, whole = 0;
    CALL(MPI_Comm_rank, inter, &local);
    CALL(MPI_Comm_remote_size, inter, &remote);
    CALL(MPI_Allreduce, &mine, &sum, 1, MPI_INT, MPI_SUM, inter);
    if (local == 0) {
        int token = world;
        CALL(MPI_Sendrecv_replace, &token, 1, MPI_INT, 0, 4, 0, 4, inter, MPI_STATUS_IGNORE);
    }
    CALL(MPI_Intercomm_merge, inter, high, &merged);
    CALL(MPI_Comm_size, merged, &all);
    CALL(MPI_Reduce, &mine, &whole, 1, MPI_INT, MPI_SUM, 0, merged);
    CALL(MPI_Barrier, merged);
    CALL(MPI_Comm_free, &merged);
    if (local == 0)
        printf("%s: world %d of %d, %d others, sum %d, %d in all\n", what, world, size, remote, sum, all);
    fflush(stdout);
}

static void child(MPI_Comm parent)
{
    meet(parent, 1, "child");
    CALL(MPI_Comm_disconnect, &parent);
}

static void spawn(char *program, int number)
{
    MPI_Comm children;
    char text[16], *words[] = {(char *)prefix, "child", text, NULL};
    snprintf(text, sizeof text, "%d", number);
    CALL(MPI_Comm_spawn, program, words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    meet(children, 0, "spawn");
    CALL(MPI_Comm_disconnect, &children);
}

static void multiple(char *program)
{
    MPI_Comm children;
    char *commands[] = {program, program};
    char *words[] = {(char *)prefix, "child", "3", NULL}, **each[] = {words, words};
    int numbers[] = {1, 2}, codes[3] = {-1, -1, -1};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    CALL(MPI_Comm_spawn_multiple, 2, commands, each, numbers, infos, 0, MPI_COMM_WORLD, &children, codes);
    for (int i = 0; rank == 0 && i < 3; i++)
        if (codes[i] != MPI_SUCCESS)
            exit(8);
    meet(children, 0, "multiple");
    CALL(MPI_Comm_disconnect, &children);
}

/* Two halves of a world that act as if they were strangers. */
static void port(void)
{
    MPI_Comm half, other;
    char name[MPI_MAX_PORT_NAME] = "";
    int server = rank < size / 2;
    CALL(MPI_Comm_split, MPI_COMM_WORLD, server, rank, &half);
    if (rank == 0)
        CALL(MPI_Open_port, MPI_INFO_NULL, name);
    CALL(MPI_Bcast, name, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (server)
        CALL(MPI_Comm_accept, name, MPI_INFO_NULL, 0, half, &other);
    else
        CALL(MPI_Comm_connect, name, MPI_INFO_NULL, 0, half, &other);
    meet(other, !server, "port");
    CALL(MPI_Comm_disconnect, &other);
    if (rank == 0)
        CALL(MPI_Close_port, name);
    CALL(MPI_Comm_free, &half);
}

/* Ranks 0 and 1 over a socket of their own. */
static void join(void)
{
    if (rank < 2) {
        struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t length = sizeof at;
        int listener = -1, end_;
        if (rank == 0) {
            listener = socket(AF_INET, SOCK_STREAM, 0);
            if (bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, 1))
                exit(7);
            getsockname(listener, (struct sockaddr *)&at, &length);
            CALL(MPI_Send, &at.sin_port, 1, MPI_UNSIGNED_SHORT, 1, 6, MPI_COMM_WORLD);
            end_ = accept(listener, NULL, NULL);
        } else {
            CALL(MPI_Recv, &at.sin_port, 1, MPI_UNSIGNED_SHORT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            end_ = socket(AF_INET, SOCK_STREAM, 0);
            if (connect(end_, (struct sockaddr *)&at, sizeof at))
                exit(7);
        }
        MPI_Comm other;
        CALL(MPI_Comm_join, end_, &other);
        if (other == MPI_COMM_NULL)
            exit(6);
        int token = rank, got = -1;
        CALL(MPI_Sendrecv, &token, 1, MPI_INT, 0, 8, &got, 1, MPI_INT, 0, 8, other, MPI_STATUS_IGNORE);
        printf("join: rank %d got %d\n", rank, got);
        CALL(MPI_Comm_disconnect, &other);
        close(end_);
        if (listener >= 0)
            close(listener);
    }
    CALL(MPI_Barrier, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    CALL(MPI_Init, &argc, &argv);
    CALL(MPI_Comm_rank, MPI_COMM_WORLD, &rank);
    CALL(MPI_Comm_size, MPI_COMM_WORLD, &size);
    CALL(MPI_Comm_get_parent, &parent);
    prefix = argv[1];
    if (parent != MPI_COMM_NULL) {
        world = atoi(argv[3]);
        child(parent);
    }
    for (int i = 2; parent == MPI_COMM_NULL && i < argc; i++) {
        if (strcmp(argv[i], "spawn") == 0)
            spawn(argv[0], 1), spawn(argv[0], 2);
        else if (strcmp(argv[i], "multiple") == 0)
            multiple(argv[0]);
        else if (strcmp(argv[i], "port") == 0)
            port();
        else if (strcmp(argv[i], "join") == 0)
            join();
    }
    end();
    return 0;
}
