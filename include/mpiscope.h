/* mpiscope.h: regions, markers and values of your program, for mpiscope.
 *
 *   #include <mpiscope.h>
 *
 *   mpiscope_begin("solve");                        a region: an interval like those of MPI calls
 *   mpiscope_mark("converged");                     a point in time
 *   mpiscope_value_double("residual", "1", r);      a point with a value, its name and unit
 *   mpiscope_end("solve");
 *   mpiscope_stop(); mpiscope_start();              pause and resume the recording of the process
 *   mpiscope_thread_stop(); mpiscope_thread_start();      pause and resume the recording of the calling thread
 *   mpiscope_clear("solve"); mpiscope_snapshot("solve");   statistics of a region (NULL: of all) between two moments
 *
 * No library has to be linked. Without mpiscope each call only tests for a null pointer; under
 * `mpiscope run` and `mpiscope exec` it takes about 30 ns. Names are C strings of any kind; string
 * literals are fastest. Regions may be nested up to 64 deep. mpiscope_end(NULL) ends the innermost
 * region; mpiscope_end(name) ends the innermost region of that name and all regions inside it.
 * All functions may be called from any thread, before MPI_Init and after MPI_Finalize.
 *
 * In C++, the region of mpiscope::region r("solve"); ends with its scope.
 *
 * How it works: this header adds a table of null pointers and an ELF note with its address to the
 * program; mpiscope fills the table when the program starts. On systems other than Linux with ELF
 * objects everything compiles to nothing.
 */
#ifndef MPISCOPE_H
#define MPISCOPE_H

#define MPISCOPE_HEADER_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__linux__) && defined(__ELF__) && (defined(__GNUC__) || defined(__clang__)) && !defined(MPISCOPE_DISABLE)

/* Version 1 of the table. Functions are only ever added at its end. */
struct mpiscope_table_v1 {
    unsigned int version;
    unsigned int bytes;
    void (*begin)(const char *);
    void (*end)(const char *);
    void (*mark)(const char *);
    void (*value_int)(const char *, const char *, long long);
    void (*value_double)(const char *, const char *, double);
    void (*value_string)(const char *, const char *);
    void (*start)(void);
    void (*stop)(void);
    void (*thread_start)(void);
    void (*thread_stop)(void);
    int (*is_recording)(void);
    void (*snapshot)(const char *);
    void (*clear)(const char *);
};

/* One for each program and shared object: the linker merges the weak definitions of its files. */
extern struct mpiscope_table_v1 mpiscope_table_v1;
__attribute__((weak, visibility("hidden"), used, aligned(8))) struct mpiscope_table_v1 mpiscope_table_v1 = {
    1, (unsigned int)sizeof(struct mpiscope_table_v1), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

__asm__(".pushsection .note.mpiscope,\"a\",%note\n"
        ".balign 4\n"
        ".long 9, 4, 1\n"
        ".asciz \"mpiscope\"\n"
        ".balign 4\n"
        ".long mpiscope_table_v1 - .\n"
        ".popsection\n");

/* mpiscope may fill these while another thread reads: one aligned word each. */
#define MPISCOPE_FUNCTION_(name) __atomic_load_n(&mpiscope_table_v1.name, __ATOMIC_RELAXED)
#define MPISCOPE_CALL_(type, name, arguments)                                                                          \
    do {                                                                                                               \
        type = MPISCOPE_FUNCTION_(name);                                                                               \
        if (__builtin_expect(function_ != 0, 0)) function_ arguments;                                                  \
    } while (0)

static inline void mpiscope_begin(const char *name)
{
    MPISCOPE_CALL_(void (*function_)(const char *), begin, (name));
}
static inline void mpiscope_end(const char *name)
{
    MPISCOPE_CALL_(void (*function_)(const char *), end, (name));
}
static inline void mpiscope_mark(const char *name)
{
    MPISCOPE_CALL_(void (*function_)(const char *), mark, (name));
}
static inline void mpiscope_value_int(const char *name, const char *unit, long long value)
{
    MPISCOPE_CALL_(void (*function_)(const char *, const char *, long long), value_int, (name, unit, value));
}
static inline void mpiscope_value_double(const char *name, const char *unit, double value)
{
    MPISCOPE_CALL_(void (*function_)(const char *, const char *, double), value_double, (name, unit, value));
}
static inline void mpiscope_value_string(const char *name, const char *value)
{
    MPISCOPE_CALL_(void (*function_)(const char *, const char *), value_string, (name, value));
}
static inline void mpiscope_start(void)
{
    MPISCOPE_CALL_(void (*function_)(void), start, ());
}
static inline void mpiscope_stop(void)
{
    MPISCOPE_CALL_(void (*function_)(void), stop, ());
}
static inline void mpiscope_thread_start(void)
{
    MPISCOPE_CALL_(void (*function_)(void), thread_start, ());
}
static inline void mpiscope_thread_stop(void)
{
    MPISCOPE_CALL_(void (*function_)(void), thread_stop, ());
}
/* Records the statistics of a region (NULL: of everything) for the report: the calls since the last mpiscope_clear of
 * it, or since the start. At most 1000 calls of mpiscope_snapshot and mpiscope_clear together in a process. */
static inline void mpiscope_snapshot(const char *region)
{
    MPISCOPE_CALL_(void (*function_)(const char *), snapshot, (region));
}
/* Resets the statistics of a region (NULL: of everything) for snapshots. The report's other tables are not affected. */
static inline void mpiscope_clear(const char *region)
{
    MPISCOPE_CALL_(void (*function_)(const char *), clear, (region));
}
/* 1 while the calling thread is recorded; otherwise, and without mpiscope, 0. */
static inline int mpiscope_is_recording(void)
{
    int (*function_)(void) = MPISCOPE_FUNCTION_(is_recording);
    return __builtin_expect(function_ != 0, 0) ? function_() : 0;
}

#undef MPISCOPE_CALL_
#undef MPISCOPE_FUNCTION_

#else /* no ELF objects, or disabled */

static inline void mpiscope_begin(const char *name) { (void)name; }
static inline void mpiscope_end(const char *name) { (void)name; }
static inline void mpiscope_mark(const char *name) { (void)name; }
static inline void mpiscope_value_int(const char *name, const char *unit, long long value)
{
    (void)name, (void)unit, (void)value;
}
static inline void mpiscope_value_double(const char *name, const char *unit, double value)
{
    (void)name, (void)unit, (void)value;
}
static inline void mpiscope_value_string(const char *name, const char *value) { (void)name, (void)value; }
static inline void mpiscope_start(void) {}
static inline void mpiscope_stop(void) {}
static inline void mpiscope_thread_start(void) {}
static inline void mpiscope_thread_stop(void) {}
static inline void mpiscope_snapshot(const char *region) { (void)region; }
static inline void mpiscope_clear(const char *region) { (void)region; }
static inline int mpiscope_is_recording(void) { return 0; }

#endif

#ifdef __cplusplus
} /* extern "C" */

namespace mpiscope {
/* A region that lasts as long as its scope. */
class region {
public:
    explicit region(const char *name) : name_(name) { mpiscope_begin(name); }
    ~region() { mpiscope_end(name_); }

private:
    region(const region &);
    region &operator=(const region &);
    const char *name_;
};
} /* namespace mpiscope */
#endif

#endif /* MPISCOPE_H */
