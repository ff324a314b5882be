/* callmix: calls almost every MPI function a known number of times.
 *
 *   callmix [--reps N] [--tally PREFIX]        default 1 repetition; 2 to 64 ranks
 *
 * Every call goes through CALL, which counts it. With --tally each rank writes
 * PREFIX.<rank>, lines `MPI_Send 3`, sorted: the truth to compare a tool with. Calls that
 * a callback makes are on lines of their own, `MPI_Status_set_elements/callback 1`; see
 * also nested.c. Messages go round a ring (rank r to r+1); the k-th kind of message carries a count and a tag of its
 * own, see each part. Functions that poll (Test*, Win_test) may be called more often from
 * run to run; the tally says how often it was.
 *
 *   callmix_p2p.c      every mode of sending, probes, persistent and nonblocking; requests
 *   callmix_coll.c     collectives: blocking, nonblocking, neighbourhood, persistent
 *   callmix_objects.c  groups, communicators, topologies, datatypes, ops, attributes,
 *                      error handlers, info, packing, environment
 *   callmix_rma.c      one-sided: fence, post/start/complete/wait, locks, atomics
 *   callmix_large.c    MPI-4: large counts and the rest, where the library has them
 *
 * MPI-IO is in iowrite.c, sessions are in sessions.c. Prints OK. */
#include "callmix.h"

enum { MAX_NAMES = 600 };
static struct tally { const char *name; long calls; } tallies[MAX_NAMES];
static int names;

/* Only ever called by the main thread. Names are literals, mostly the same one again. */
void callmix_count(const char *name)
{
    static int last;
    if (last < names && tallies[last].name == name) {
        tallies[last].calls++;
        return;
    }
    for (last = 0; last < names; last++)
        if (strcmp(tallies[last].name, name) == 0)
            break;
    if (last == names && names < MAX_NAMES)
        tallies[names++].name = name;
    tallies[last].calls++;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct tally *)a)->name, ((const struct tally *)b)->name);
}

static void write_tally(const char *prefix, int rank)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", prefix, rank);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file)
        return;
    qsort(tallies, names, sizeof tallies[0], by_name);
    for (int i = 0; i < names; i++)
        fprintf(file, "%s %ld\n", tallies[i].name, tallies[i].calls);
    fclose(file);
}

int main(int argc, char **argv)
{
    int provided, failures;
    struct ring ring;
    CALL(MPI_Init_thread, &argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    CALL(MPI_Comm_rank, MPI_COMM_WORLD, &ring.rank);
    CALL(MPI_Comm_size, MPI_COMM_WORLD, &ring.size);
    if (ring.size > MAX_RANKS) {
        fprintf(stderr, "callmix: at most %d ranks\n", MAX_RANKS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    ring.right = (ring.rank + 1) % ring.size;
    ring.left = (ring.rank + ring.size - 1) % ring.size;

    int reps = opt_long(argc, argv, "--reps", 1);
    for (int i = 0; i < reps; i++) {
        callmix_p2p(&ring);
        callmix_requests(&ring);
        callmix_collectives(&ring);
        callmix_groups(&ring);
        callmix_datatypes(&ring);
        callmix_misc(&ring);
        callmix_rma(&ring);
        callmix_large(&ring);
    }

    CALL(MPI_Allreduce, &check_failures, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CALL(MPI_Finalize);
    const char *prefix = opt_str(argc, argv, "--tally", NULL);
    if (prefix)
        write_tally(prefix, ring.rank);
    if (ring.rank == 0)
        printf("callmix %d functions %s\n", names, failures ? "FAILED" : "OK");
    return failures != 0;
}
