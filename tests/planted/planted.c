/* planted.c: stamps, options and delays of planted programs; see planted.h. */
#define _GNU_SOURCE
#include "planted.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct event {
    const char *function, *file;
    int line;
    int64_t enter_ns, leave_ns;
};
struct part {
    int event, role, channel, peer;
};

static const char *const role_names[] = {"send",  "post", "arrival", "delivery", "entry",  "all",
                                         "barrier", "fence", "root",  "leaves",   "lower",  "near",
                                         "expose", "access", "finish", "close",  "acquire", "release"};

struct planted_plan planted;
int planted_spins;
static char words[4096];
static int words_bytes;
static int my_rank = -1, my_size;
static int64_t start_ns, ready_ns, delayed_ns, delays;
/* By how much the longest piece of work was longer than wanted: the machine did not let the process go on. */
static int64_t overslept_ns;
/* What was set up and gone through once before the iterations, and when these began. */
static int64_t first_ns, first_end_ns;
static struct event *events;
static struct part *parts;
static int event_count, event_room, part_count, part_room;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *grown(void *old, int *room, size_t item)
{
    *room *= 2;
    void *new = realloc(old, *room * item);
    if (!new) {
        fprintf(stderr, "planted: no memory for %d stamps\n", *room);
        exit(3);
    }
    return new;
}

/* The command line as the kernel has it: the same for C and Fortran. */
const char *planted_word(const char *option, const char *fallback)
{
    const char *found = fallback;
    /* The last one counts. */
    for (const char *at = words; at < words + words_bytes; at += strlen(at) + 1)
        if (strcmp(at, option) == 0) {
            const char *value = at + strlen(at) + 1;
            found = value < words + words_bytes ? value : "";
        }
    return found;
}

long planted_long(const char *option, long fallback)
{
    const char *word = planted_word(option, NULL);
    return word ? strtol(word, NULL, 10) : fallback;
}

/* How many ranks --late names; if one is asked for, whether it is among them. */
static int late_ones(int rank)
{
    const char *at = planted_word("--late", "");
    int count = 0;
    while (*at) {
        char *end;
        long named = strtol(at, &end, 10);
        if (end == at)
            break;
        count += rank < 0 || named == rank;
        at = end + (*end == ',');
    }
    return count;
}

int planted_late(int rank)
{
    return !planted.twin && !planted.repaired && late_ones(rank) > 0;
}

long planted_extra_us(int rank, int size)
{
    if (planted.repaired)
        return planted.delay_us * late_ones(-1) / size;
    return planted.twin || late_ones(rank) ? planted.delay_us : 0;
}

/* Whoever else computes on this machine would be measured too. Sessions have shares of their own, whatever
 * the nice values inside; where either may not be changed, the machine has to be quiet. */
static void go_before_others(void)
{
    FILE *session = fopen("/proc/self/autogroup", "w");
    if (session) {
        fputs("-15", session);
        fclose(session);
    }
    setpriority(PRIO_PROCESS, 0, -15);
    /* A short slice, from Linux 6.12 on: who wakes runs at once, not after the 3 ms of somebody else. */
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime_ns, deadline_ns, period_ns;
    } attributes = {.size = 48, .nice = -15, .runtime_ns = 100000};
    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

void planted_start(void)
{
    FILE *line = fopen("/proc/self/cmdline", "r");
    if (line) {
        words_bytes = (int)fread(words, 1, sizeof words - 1, line);
        fclose(line);
    }
    planted.count = planted_long("--count", 40);
    planted.work_us = planted_long("--work-us", 1000);
    planted.delay_us = planted_long("--delay-us", 3000);
    planted.bytes = planted_long("--bytes", 1024);
    planted.twin = planted_word("--twin", NULL) != NULL;
    planted.repaired = planted_word("--repaired", NULL) != NULL;
    planted_spins = planted_word("--spin", NULL) && !planted.repaired;
    prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0); /* 50 us by default: too coarse for twins */
    event_room = part_room = 1 << 14;
    events = malloc(event_room * sizeof *events);
    parts = malloc(part_room * sizeof *parts);
    if (!events || !parts)
        exit(3);
    /* Pages are touched here and not between two stamps. */
    memset(events, 0, event_room * sizeof *events);
    memset(parts, 0, part_room * sizeof *parts);
    if (getenv("PLANTED_OUT") && !getenv("PLANTED_POLITE"))
        go_before_others();
    start_ns = now_ns();
}

void planted_ready(int rank, int size)
{
    my_rank = rank;
    my_size = size;
    ready_ns = now_ns();
}

void planted_enter(const char *function, const char *file, int line)
{
    if (event_count == event_room)
        events = grown(events, &event_room, sizeof *events);
    struct event *e = &events[event_count];
    e->function = function;
    e->file = file;
    e->line = line;
    e->enter_ns = now_ns();
}

void planted_enter_text(const char *function, const char *file, int line)
{
    function = strdup(function);
    file = strdup(file);
    if (!function || !file)
        exit(3);
    planted_enter(function, file, line);
}

void planted_leave(void)
{
    events[event_count++].leave_ns = now_ns();
}

void planted_part(int role, int channel, int peer)
{
    if (part_count == part_room)
        parts = grown(parts, &part_room, sizeof *parts);
    parts[part_count++] = (struct part){event_count - 1, role, channel, peer};
}

void planted_work(long us)
{
    if (us <= 0)
        return;
    int64_t end = now_ns() + us * 1000;
    struct timespec t = {end / 1000000000, end % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
    int64_t over = now_ns() - end;
    if (over > overslept_ns)
        overslept_ns = over;
}

void planted_delay(long us)
{
    int64_t before = now_ns();
    planted_work(us);
    delayed_ns += now_ns() - before;
    delays += us > 0;
}

void planted_burn(long us)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    int64_t end = t.tv_sec * 1000000000LL + t.tv_nsec + us * 1000;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    while (t.tv_sec * 1000000000LL + t.tv_nsec < end);
}

void planted_cores(int cores)
{
    cpu_set_t all, some;
    CPU_ZERO(&some);
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&some) < cores; cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &some);
    sched_setaffinity(0, sizeof some, &some);
}

/* "MPI_Recv(buffer, …)" is kept as the caller wrote it; only its name is wanted. */
static int name_length(const char *call)
{
    return (int)strcspn(call, "( ");
}

static const char *base(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

static void write_to(const char *place, int64_t end_ns)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/rank.%d.json", place, my_rank);
    FILE *out = fopen(path, "w");
    if (!out) {
        fprintf(stderr, "planted: %s: %s\n", path, strerror(errno));
        exit(3);
    }
    fprintf(out,
            "{\"rank\": %d, \"size\": %d, \"start_ns\": %lld, \"ready_ns\": %lld, \"end_ns\": %lld, "
            "\"delays\": %lld, \"delayed_ns\": %lld, \"overslept_ns\": %lld, "
            "\"first_ns\": %lld, \"turn_ns\": %lld,\n\"events\": [",
            my_rank, my_size, (long long)start_ns, (long long)ready_ns, (long long)end_ns, (long long)delays,
            (long long)delayed_ns, (long long)overslept_ns, (long long)first_ns,
            (long long)(first_end_ns && planted.count > 0 ? (end_ns - first_end_ns) / planted.count : 0));
    for (int i = 0, p = 0; i < event_count; i++) {
        const struct event *e = &events[i];
        fprintf(out, "%s\n[\"%.*s\", \"%s:%d\", %lld, %lld, [", i ? "," : "", name_length(e->function), e->function,
                base(e->file), e->line, (long long)e->enter_ns, (long long)e->leave_ns);
        for (int first = p; p < part_count && parts[p].event == i; p++)
            fprintf(out, "%s[\"%s\", %d, %d]", p > first ? ", " : "", role_names[parts[p].role], parts[p].channel,
                    parts[p].peer);
        fprintf(out, "]]");
    }
    fprintf(out, "\n]}\n");
    if (fclose(out) != 0) {
        fprintf(stderr, "planted: %s: %s\n", path, strerror(errno));
        exit(3);
    }
}

void planted_first(void)
{
    if (first_ns == 0)
        first_ns = now_ns();
    else {
        first_end_ns = now_ns();
        first_ns = first_end_ns - first_ns;
    }
}

void planted_end(void)
{
    int64_t end_ns = now_ns();
    const char *place = getenv("PLANTED_OUT");
    if (place)
        write_to(place, end_ns);
    else
        fprintf(stderr, "planted: rank %d of %d: %.6f s, of which %.6f s in %lld planted delays\n", my_rank, my_size,
                (end_ns - ready_ns) / 1e9, delayed_ns / 1e9, (long long)delays);
}
