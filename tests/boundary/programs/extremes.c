/* extremes LOG SEED ROUNDS: calls with empty, null and extreme arguments, in loops. Each rank writes what it has called to
 * LOG.<rank>, a line for each call in the order of return:
 *
 *     function calls peer tag peer2 tag2 bytes_sent bytes_received requests
 *
 * with "-" for what a call does not have (a peer of MPI_PROC_NULL is one) and "?" for what the MPI decides. `calls` is the
 * number of polls that found nothing, one after the other. Nothing here knows mpiscope.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY 100000
#define WIDE 4096

static FILE *out;
static int rank, size, tags;
static unsigned long long state;
static int buffer[WIDE], other[WIDE], shared[WIDE];
static MPI_Request many[MANY];
static MPI_Status statuses[MANY];
static int indices[MANY];
/* A communicator of this rank alone, in which it is rank 0. */
static MPI_Comm self, line;
#define ME 0
static MPI_Win window;

static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return below ? (unsigned)(state >> 33) % below : 0;
}

static const char *number(char *text, long long value, long long none)
{
    if (value == none)
        return "-";
    snprintf(text, 24, "%lld", value);
    return text;
}

#define NONE (-99)
#define ANY (-98)

static void settle(void);

static void log_call(const char *name, int calls, int peer, int tag, int peer2, int tag2, const char *sent, const char *received,
                     int requests)
{
    char a[24], b[24], c[24], d[24], e[24];
    settle();
    fprintf(out, "%s %d %s %s %s %s %s %s %s\n", name, calls, number(a, peer, NONE), number(b, tag, NONE), number(c, peer2, NONE),
            number(d, tag2, NONE), sent, received, number(e, requests, NONE));
}

static void plain(const char *name)
{
    log_call(name, 1, NONE, NONE, NONE, NONE, "0", "0", NONE);
}

static const char *bytes(long long n)
{
    static char text[4][24];
    static int next;
    next = (next + 1) % 4;
    snprintf(text[next], 24, "%lld", n);
    return text[next];
}

static void named(const char *name, int requests)
{
    log_call(name, 1, NONE, NONE, NONE, NONE, "0", "0", requests);
}

/* A poll that found nothing joins the one before. */
static char pending[200];
static int polls;

static void settle(void)
{
    if (polls)
        fprintf(out, "%s %d - - - - 0 0 -\n", pending, polls);
    polls = 0;
}

static void poll_of(const char *name)
{
    if (polls && strcmp(pending, name))
        settle();
    snprintf(pending, sizeof pending, "%s", name);
    polls++;
}

/* ---- what each rank does for itself, in loops ---- */

static void nothing_to_complete(int n)
{
    int flag, index, count;
    int which = draw(8);
    for (int i = 0; i < n; i++)
        switch (which) {
        case 0: MPI_Waitall(0, many, MPI_STATUSES_IGNORE), named("MPI_Waitall", 0); break;
        case 1: MPI_Waitall(0, many, statuses), named("MPI_Waitall", 0); break;
        case 2: MPI_Testall(0, many, &flag, MPI_STATUSES_IGNORE), named("MPI_Testall", 0); break;
        case 3: MPI_Testall(0, many, &flag, statuses), named("MPI_Testall", 0); break;
        case 4: MPI_Waitany(0, many, &index, MPI_STATUS_IGNORE), named("MPI_Waitany", 0); break;
        case 5: MPI_Testany(0, many, &index, &flag, MPI_STATUS_IGNORE), named("MPI_Testany", 0); break;
        case 6: MPI_Waitsome(0, many, &count, indices, MPI_STATUSES_IGNORE), named("MPI_Waitsome", 0); break;
        default: MPI_Startall(0, many), named("MPI_Startall", 0); break;
        }
}

static void null_requests(int n)
{
    static const int lengths[] = {1, 2, 3, 64, 383, 384, 385, 1000};
    int flag, index, count, length = lengths[draw(8)], which = draw(8);
    for (int i = 0; i < length; i++)
        many[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < n; i++)
        switch (which) {
        case 0: MPI_Waitall(length, many, MPI_STATUSES_IGNORE), named("MPI_Waitall", 0); break;
        case 1: MPI_Waitall(length, many, statuses), named("MPI_Waitall", 0); break;
        case 2: MPI_Testall(length, many, &flag, MPI_STATUSES_IGNORE), named("MPI_Testall", 0); break;
        case 3: MPI_Waitany(length, many, &index, MPI_STATUS_IGNORE), named("MPI_Waitany", 0); break;
        case 4: MPI_Waitsome(length, many, &count, indices, statuses), named("MPI_Waitsome", 0); break;
        case 5: MPI_Wait(&many[0], MPI_STATUS_IGNORE), named("MPI_Wait", 0); break;
        case 6: MPI_Test(&many[0], &flag, MPI_STATUS_IGNORE), named("MPI_Test", 0); break;
        default: MPI_Wait(&many[0], statuses), named("MPI_Wait", 0); break;
        }
}

static void no_partner(int n)
{
    int which = draw(8), count = draw(2) ? draw(WIDE) : 0, tag = draw(3) ? (int)draw(10) : tags, flag;
    MPI_Status status, *given = draw(2) ? &status : MPI_STATUS_IGNORE;
    MPI_Request request;
    for (int i = 0; i < n; i++)
        switch (which) {
        case 0:
            MPI_Send(buffer, count, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD);
            log_call("MPI_Send", 1, NONE, tag, NONE, NONE, "0", "0", NONE);
            break;
        case 1:
            MPI_Recv(buffer, count, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD, given);
            log_call("MPI_Recv", 1, NONE, ANY, NONE, NONE, "0", "0", NONE);
            break;
        case 2:
            MPI_Sendrecv(buffer, count, MPI_INT, MPI_PROC_NULL, tag, other, 7, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD, given);
            log_call("MPI_Sendrecv", 1, NONE, tag, NONE, ANY, "0", "0", NONE);
            break;
        case 3:
            MPI_Isend(buffer, count, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD, &request);
            log_call("MPI_Isend", 1, NONE, tag, NONE, NONE, "0", "0", NONE);
            MPI_Wait(&request, given);
            named("MPI_Wait", 1);
            break;
        case 4:
            MPI_Irecv(buffer, count, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD, &request);
            log_call("MPI_Irecv", 1, NONE, tag, NONE, NONE, "0", "0", NONE);
            MPI_Waitall(1, &request, given == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : given);
            named("MPI_Waitall", 1);
            break;
        case 5:
            MPI_Iprobe(MPI_PROC_NULL, tag, MPI_COMM_WORLD, &flag, given);
            log_call("MPI_Iprobe", 1, NONE, ANY, NONE, NONE, "0", "?", NONE);
            break;
        case 6:
            MPI_Probe(MPI_PROC_NULL, tag, MPI_COMM_WORLD, given);
            log_call("MPI_Probe", 1, NONE, ANY, NONE, NONE, "0", "?", NONE);
            break;
        default:
            MPI_Sendrecv_replace(buffer, count, MPI_INT, MPI_PROC_NULL, tag, MPI_PROC_NULL, tag, MPI_COMM_WORLD, given);
            log_call("MPI_Sendrecv_replace", 1, NONE, tag, NONE, ANY, "0", "0", NONE);
        }
}

/* Polls that find nothing, with ever other tags: of these only the number is compared. */
static void polls_in_vain(int n)
{
    int flag, step = draw(2), base = 100 + draw(1000);
    MPI_Request request;
    MPI_Status status, *given = draw(2) ? &status : MPI_STATUS_IGNORE;
    int which = draw(2);
    if (which == 0)
        for (int i = 0; i < n * 20; i++) {
            MPI_Iprobe(ME, base + i * step, self, &flag, given);
            poll_of("MPI_Iprobe");
        }
    else {
        MPI_Irecv(other, 1, MPI_INT, ME, base, self, &request);
        log_call("MPI_Irecv", 1, rank, base, NONE, NONE, "0", "4", NONE);
        for (int i = 0; i < n; i++) {
            MPI_Test(&request, &flag, given);
            poll_of("MPI_Test");
        }
        MPI_Send(buffer, 1, MPI_INT, ME, base, self);
        log_call("MPI_Send", 1, rank, base, NONE, NONE, "4", "0", NONE);
        MPI_Wait(&request, given);
        named("MPI_Wait", 1);
    }
}

/* Messages to oneself, of any length and tag, completed in any way. */
static void to_oneself(int n)
{
    int which = draw(6), wide = draw(3) == 0;
    MPI_Status *none = MPI_STATUSES_IGNORE;
    int flag, index, count;
    for (int i = 0; i < n; i++) {
        int length = wide ? (int)draw(WIDE) : which, tag = wide ? (int)draw(tags) : 3;
        int source = draw(2) ? MPI_ANY_SOURCE : ME;
        /* The receive has room for more than comes. */
        MPI_Irecv(other, WIDE, MPI_INT, source, tag, self, &many[0]);
        log_call("MPI_Irecv", 1, source == ME ? rank : NONE, tag, NONE, NONE, "0", "16384", NONE);
        MPI_Isend(buffer, length, MPI_INT, ME, tag, self, &many[1]);
        log_call("MPI_Isend", 1, rank, tag, NONE, NONE, bytes(4ll * length), "0", NONE);
        many[2] = MPI_REQUEST_NULL;
        switch (which) {
        case 0: MPI_Waitall(3, many, statuses), named("MPI_Waitall", 2); break;
        case 1: MPI_Waitall(3, many, none), named("MPI_Waitall", 2); break;
        case 2:
            for (int left = 2; left > 0; left--)
                MPI_Waitany(3, many, &index, &statuses[0]), named("MPI_Waitany", 1);
            break;
        case 3:
            for (int left = 2; left > 0; left -= count)
                MPI_Waitsome(3, many, &count, indices, none), named("MPI_Waitsome", count);
            break;
        case 4:
            do {
                MPI_Testall(3, many, &flag, none);
                if (flag)
                    named("MPI_Testall", 2);
                else
                    poll_of("MPI_Testall");
            } while (!flag);
            break;
        default:
            MPI_Wait(&many[1], MPI_STATUS_IGNORE), named("MPI_Wait", 1);
            MPI_Wait(&many[0], &statuses[0]), named("MPI_Wait", 1);
        }
    }
}

/* More requests than fit into a record, or into any table. */
static void very_many(int length)
{
    for (int i = 0; i < length; i++) {
        MPI_Irecv(&other[i % WIDE], 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &many[i]);
        log_call("MPI_Irecv", 1, NONE, 5, NONE, NONE, "0", "0", NONE);
    }
    MPI_Waitall(length, many, draw(2) ? statuses : MPI_STATUSES_IGNORE);
    named("MPI_Waitall", NONE);
}

static void persistent(int n)
{
    int length = draw(5), tag = draw(50);
    for (int i = 0; i < length; i++) {
        MPI_Send_init(buffer, i, MPI_INT, i % 2 ? MPI_PROC_NULL : ME, tag + i, self, &many[i]);
        log_call("MPI_Send_init", 1, i % 2 ? NONE : rank, tag + i, NONE, NONE, "?", "0", NONE);
    }
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < length; i += 2) {
            MPI_Irecv(other, WIDE, MPI_INT, ME, tag + i, self, &many[length + i / 2]);
            log_call("MPI_Irecv", 1, rank, tag + i, NONE, NONE, "0", "16384", NONE);
        }
        MPI_Startall(length, many);
        log_call("MPI_Startall", 1, NONE, NONE, NONE, NONE, "?", "?", length);
        int all = length + (length + 1) / 2;
        MPI_Waitall(all, many, k % 2 ? statuses : MPI_STATUSES_IGNORE);
        named("MPI_Waitall", all);
    }
    for (int i = 0; i < length; i++) {
        MPI_Request_free(&many[i]);
        named("MPI_Request_free", 1);
    }
}

/* Objects come and go, so that handles mean other things; two calls beside each other have the same arguments. */
static void objects(int n)
{
    MPI_Group group, empty;
    MPI_Comm comm;
    MPI_Datatype type;
    int nothing, length = draw(4);
    for (int i = 0; i < n; i++) {
        MPI_Comm_dup(self, &comm), plain("MPI_Comm_dup");
        MPI_Send(buffer, 1, MPI_INT, MPI_PROC_NULL, 1, comm), log_call("MPI_Send", 1, NONE, 1, NONE, NONE, "0", "0", NONE);
        MPI_Send(buffer, 1, MPI_INT, MPI_PROC_NULL, 1, comm), log_call("MPI_Send", 1, NONE, 1, NONE, NONE, "0", "0", NONE);
        MPI_Comm_free(&comm), plain("MPI_Comm_free");
        MPI_Comm_group(self, &group), plain("MPI_Comm_group");
        MPI_Group_incl(group, 0, NULL, &empty), plain("MPI_Group_incl");
        MPI_Group_size(empty, &nothing), plain("MPI_Group_size");
        MPI_Comm_create(self, empty, &comm), plain("MPI_Comm_create");
        if (empty != MPI_GROUP_EMPTY)
            MPI_Group_free(&empty), plain("MPI_Group_free");
        MPI_Group_free(&group), plain("MPI_Group_free");
        MPI_Type_contiguous(length, MPI_INT, &type), plain("MPI_Type_contiguous");
        MPI_Type_commit(&type), plain("MPI_Type_commit");
        MPI_Sendrecv(buffer, 2, type, ME, 9, other, 8, MPI_INT, ME, 9, self, MPI_STATUS_IGNORE);
        log_call("MPI_Sendrecv", 1, rank, 9, rank, 9, bytes(8ll * length), "32", NONE);
        MPI_Type_free(&type), plain("MPI_Type_free");
    }
}

static void one_sided(int n)
{
    int which = draw(5), count = draw(2) * draw(100);
    MPI_Request request;
    for (int i = 0; i < n; i++) {
        int target = draw(2) ? rank : MPI_PROC_NULL, peer = target == rank ? rank : NONE;
        const char *moved = bytes(peer == NONE ? 0 : 4ll * count);
        MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window), log_call("MPI_Win_lock", 1, rank, NONE, NONE, NONE, "0", "0", NONE);
        switch (which) {
        case 0:
            MPI_Put(buffer, count, MPI_INT, target, i, count, MPI_INT, window);
            log_call("MPI_Put", 1, peer, NONE, NONE, NONE, moved, "0", NONE);
            break;
        case 1:
            MPI_Get(buffer, count, MPI_INT, target, 0, count, MPI_INT, window);
            log_call("MPI_Get", 1, peer, NONE, NONE, NONE, "0", moved, NONE);
            break;
        case 2:
            MPI_Accumulate(buffer, count, MPI_INT, target, i, count, MPI_INT, MPI_SUM, window);
            log_call("MPI_Accumulate", 1, peer, NONE, NONE, NONE, moved, "0", NONE);
            break;
        case 3:
            MPI_Fetch_and_op(buffer, other, MPI_INT, target, 1, MPI_NO_OP, window);
            log_call("MPI_Fetch_and_op", 1, peer, NONE, NONE, NONE, "?", "?", NONE);
            break;
        default:
            MPI_Rput(buffer, count, MPI_INT, target, i, count, MPI_INT, window, &request);
            log_call("MPI_Rput", 1, peer, NONE, NONE, NONE, moved, "0", NONE);
            MPI_Wait(&request, MPI_STATUS_IGNORE), named("MPI_Wait", 1);
        }
        MPI_Win_unlock(rank, window), log_call("MPI_Win_unlock", 1, rank, NONE, NONE, NONE, "0", "0", NONE);
    }
}

/* ---- what all ranks do together ---- */

static void together(int n)
{
    static int counts[64], zeros[64];
    int which = draw(10), count = draw(2) ? draw(100) : 0, root = draw(size);
    MPI_Datatype absolute;
    MPI_Aint address;
    MPI_Request request;
    int one = 1, flag;
    for (int i = 0; i < size; i++)
        counts[i] = draw(2) * count;
    long long sent = 0;
    for (int i = 0; i < size; i++)
        sent += 4ll * counts[i];
    for (int i = 0; i < n; i++)
        switch (which) {
        case 0: MPI_Barrier(self), plain("MPI_Barrier"); break;
        case 1:
            MPI_Bcast(buffer, count, MPI_INT, root, MPI_COMM_WORLD);
            log_call("MPI_Bcast", 1, NONE, NONE, NONE, NONE, bytes(rank == root ? 4ll * count : 0),
                     bytes(rank == root ? 0 : 4ll * count), NONE);
            break;
        case 2:
            MPI_Allreduce(MPI_IN_PLACE, buffer, count, MPI_INT, MPI_BOR, MPI_COMM_WORLD);
            log_call("MPI_Allreduce", 1, NONE, NONE, NONE, NONE, bytes(4ll * count), bytes(4ll * count), NONE);
            break;
        case 3:
            MPI_Alltoallv(buffer, zeros, zeros, MPI_INT, other, zeros, zeros, MPI_INT, MPI_COMM_WORLD);
            plain("MPI_Alltoallv");
            break;
        case 4:
            MPI_Gatherv(buffer, counts[rank], MPI_INT, rank == root ? other : NULL, rank == root ? counts : NULL,
                        rank == root ? zeros : NULL, MPI_INT, root, MPI_COMM_WORLD);
            log_call("MPI_Gatherv", 1, NONE, NONE, NONE, NONE, bytes(4ll * counts[rank]), bytes(rank == root ? sent : 0), NONE);
            break;
        case 5:
            MPI_Get_address(buffer, &address), plain("MPI_Get_address");
            MPI_Type_create_hindexed(1, &one, &address, MPI_INT, &absolute), plain("MPI_Type_create_hindexed");
            MPI_Type_commit(&absolute), plain("MPI_Type_commit");
            MPI_Bcast(MPI_BOTTOM, 1, absolute, root, MPI_COMM_WORLD);
            log_call("MPI_Bcast", 1, NONE, NONE, NONE, NONE, rank == root ? "4" : "0", rank == root ? "0" : "4", NONE);
            MPI_Type_free(&absolute), plain("MPI_Type_free");
            break;
        case 6:
            MPI_Ibarrier(MPI_COMM_WORLD, &request), plain("MPI_Ibarrier");
            do {
                MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
                if (flag)
                    named("MPI_Test", 1);
                else
                    poll_of("MPI_Test");
            } while (!flag);
            break;
        case 7:
            MPI_Neighbor_allgather(buffer, count, MPI_INT, other, count, MPI_INT, line);
            log_call("MPI_Neighbor_allgather", 1, NONE, NONE, NONE, NONE, "?", "?", NONE);
            break;
        case 8:
            MPI_Reduce(rank == root ? MPI_IN_PLACE : buffer, rank == root ? buffer : NULL, count, MPI_INT, MPI_BOR, root, MPI_COMM_WORLD);
            log_call("MPI_Reduce", 1, NONE, NONE, NONE, NONE, bytes(4ll * count), bytes(rank == root ? 4ll * count : 0), NONE);
            break;
        default: {
            /* The edges of a line have one partner, as most programs that exchange have it. */
            int pieces = 0;
            for (int side = -1; side <= 1; side += 2) {
                int peer = rank + side;
                if (peer < 0 || peer >= size)
                    continue;
                MPI_Irecv(&other[(side + 1) * 100], 100, MPI_INT, peer, 1, MPI_COMM_WORLD, &many[pieces++]);
                log_call("MPI_Irecv", 1, peer, 1, NONE, NONE, "0", "400", NONE);
            }
            for (int side = -1; side <= 1; side += 2) {
                int peer = rank + side;
                if (peer < 0 || peer >= size)
                    continue;
                MPI_Isend(buffer, 100, MPI_INT, peer, 1, MPI_COMM_WORLD, &many[pieces++]);
                log_call("MPI_Isend", 1, peer, 1, NONE, NONE, "400", "0", NONE);
            }
            MPI_Waitall(pieces, many, MPI_STATUSES_IGNORE);
            named("MPI_Waitall", pieces);
        }
        }
}

int main(int argc, char **argv)
{
    char path[4096];
    int *limit, is_there, rounds = argc > 3 ? atoi(argv[3]) : 10;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(path, sizeof path, "%s.%d", argv[1], rank);
    out = fopen(path, "w");
    if (out == NULL)
        MPI_Abort(MPI_COMM_WORLD, 3);
    plain("MPI_Comm_rank");
    plain("MPI_Comm_size");
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &is_there), plain("MPI_Comm_get_attr");
    tags = *limit;
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &self), plain("MPI_Comm_split");
    int zero = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &zero, 0, &line), plain("MPI_Cart_create");
    MPI_Win_create(shared, sizeof shared, sizeof *shared, MPI_INFO_NULL, MPI_COMM_WORLD, &window), plain("MPI_Win_create");
    unsigned long long seed = strtoull(argv[2], NULL, 0) * 2654435761ull + 1;
    if (seed % 2)
        very_many(seed % 4 == 1 ? 1000 : MANY);
    for (int round = 0; round < rounds; round++) {
        /* Each rank does other things by itself, then all do the same. */
        state = seed + 1000003ull * round + 7919ull * rank;
        for (int k = 0; k < 8; k++) {
            static void (*const alone[])(int) = {nothing_to_complete, null_requests, no_partner, polls_in_vain,
                                                 to_oneself, persistent, objects, one_sided};
            alone[draw(8)](1 + draw(40));
        }
        state = seed + 1000003ull * round + 1;
        together(1 + draw(20));
    }
    MPI_Win_free(&window), plain("MPI_Win_free");
    MPI_Comm_free(&line), plain("MPI_Comm_free");
    MPI_Comm_free(&self), plain("MPI_Comm_free");
    settle();
    fclose(out);
    MPI_Finalize();
    if (rank == 0)
        printf("extremes OK\n");
    return 0;
}
