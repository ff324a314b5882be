/* Shared by the C examples: options, checks and the last line of output.
 *
 * Everything is static and small on purpose: an example is one translation unit (or a
 * few of its own), so that its symbols and lines are what a user's program would show. */
#ifndef MPISCOPE_EXAMPLES_COMMON_H
#define MPISCOPE_EXAMPLES_COMMON_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The word after `name`, or `fallback` when the option is absent. */
static inline const char *opt_str(int argc, char **argv, const char *name, const char *fallback)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return argv[i + 1];
    return fallback;
}

static inline long opt_long(int argc, char **argv, const char *name, long fallback)
{
    const char *text = opt_str(argc, argv, name, NULL);
    return text ? strtol(text, NULL, 10) : fallback;
}

static inline int opt_flag(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return 1;
    return 0;
}

/* Checks that must hold on this rank. A failure is printed at once and remembered, so
 * that one wrong value does not hide the next. */
static int check_failures;

static inline void check_at(int ok, const char *what, const char *file, int line)
{
    if (ok)
        return;
    if (check_failures++ < 10)
        fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
}

#define CHECK(condition) check_at((condition) != 0, #condition, __FILE__, __LINE__)

#endif
