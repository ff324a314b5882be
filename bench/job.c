/* What a process pays outside its calls: start, end, memory.
 *
 *   job [--calls N] [--fill N] [--hang RANK]
 *
 * Runs MPI_Init, N rounds of a mix of calls, N calls of MPI_Comm_rank (to fill the ring), MPI_Finalize,
 * and appends to the file named by BENCH_FILE (see stamp.c) moments on CLOCK_MONOTONIC in ns:
 *
 *   program MAIN INIT_END FINALIZE_START FINALIZE_END
 *   memory RSS PSS RANK_FILE_RSS LIBRARY_RSS PARENT_RSS PARENT_PSS     (KiB, before MPI_Finalize)
 *
 * RANK_FILE_RSS are the resident pages of mappings named *.rank, LIBRARY_RSS those of libmpiscope.so;
 * the parent is `mpiscope exec` or stamp.
 *
 * With --hang, each rank says "at work" before MPI_Finalize; RANK then waits for a message that nobody sends, the others
 * in a barrier, until they are killed. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

enum { TAGS = 64 };

/* Sixteen calls with some hundred different arguments, as a small application has them. */
static void mix(int rank, int size, int i)
{
    int out[TAGS] = {0}, in[TAGS], flag, tag = i % TAGS;
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Request r[2];
    for (int k = 0; k < 3; k++) {
        MPI_Sendrecv(out, tag, MPI_INT, next, tag, in, TAGS, MPI_INT, before, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(in, TAGS, MPI_INT, before, k, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(out, k + 1, MPI_INT, next, k, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
    MPI_Iprobe(MPI_ANY_SOURCE, TAGS, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

struct use { long rss, pss, rank_file, library; };

static struct use use_of(const char *smaps)
{
    static char line[8192];
    struct use sum = {0};
    long value;
    int of_rank_file = 0, of_library = 0;
    FILE *maps = fopen(smaps, "r");
    while (maps && fgets(line, sizeof line, maps)) {
        char *colon = strchr(line, ':');
        if (sscanf(line, "Rss: %ld", &value) == 1) {
            sum.rss += value;
            sum.rank_file += of_rank_file * value;
            sum.library += of_library * value;
        } else if (sscanf(line, "Pss: %ld", &value) == 1) {
            sum.pss += value;
        } else if (colon && colon[1] != ' ') { /* "address perms offset 00:00 …" begins a mapping */
            of_rank_file = strstr(line, ".rank") != NULL;
            of_library = strstr(line, "libmpiscope.so") != NULL;
        }
    }
    if (maps)
        fclose(maps);
    return sum;
}

static void memory(FILE *to)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/smaps", (int)getppid());
    struct use own = use_of("/proc/self/smaps"), parent = use_of(path);
    fprintf(to, "memory %ld %ld %ld %ld %ld %ld\n", own.rss, own.pss, own.rank_file, own.library, parent.rss, parent.pss);
}

int main(int argc, char **argv)
{
    long long begin = now_ns(), init_end, finalize_start;
    long calls = 0, fill = 0, hang = -1;
    int rank, size;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--calls") == 0)
            calls = atol(argv[i + 1]);
        else if (strcmp(argv[i], "--fill") == 0)
            fill = atol(argv[i + 1]);
        else if (strcmp(argv[i], "--hang") == 0)
            hang = atol(argv[i + 1]);
    }
    FILE *to = fopen(getenv("BENCH_FILE") ? getenv("BENCH_FILE") : "/dev/stderr", "a");
    if (!to)
        return 2;
    MPI_Init(&argc, &argv);
    init_end = now_ns();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < calls; i++)
        mix(rank, size, i);
    for (long i = 0; i < fill; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (hang >= 0) {
        puts("at work");
        fflush(stdout);
    }
    if (rank == hang)
        MPI_Recv(&size, 1, MPI_INT, MPI_ANY_SOURCE, 4711, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memory(to);
    MPI_Barrier(MPI_COMM_WORLD);
    finalize_start = now_ns();
    MPI_Finalize();
    fprintf(to, "program %lld %lld %lld %lld\n", begin, init_end, finalize_start, now_ns());
    return fclose(to) != 0;
}
