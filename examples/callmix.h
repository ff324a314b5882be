/* What the parts of callmix share. */
#ifndef CALLMIX_H
#define CALLMIX_H

#include "common.h"

enum { MAX_RANKS = 64 };

struct ring {
    int rank, size, left, right;
};

/* Counts the call, then makes it. The parentheses keep macros away: some headers define
 * MPI_Aint_add as one, and then no function would be called. */
#define CALL(function, ...) (callmix_count(#function), (function)(__VA_ARGS__))

/* The same from inside a function that MPI calls: the tally has a line for it of its own. */
#define CALLBACK(function, ...) (callmix_count(#function "/callback"), (function)(__VA_ARGS__))

void callmix_count(const char *name);

void callmix_p2p(const struct ring *);
void callmix_requests(const struct ring *);
void callmix_collectives(const struct ring *);
void callmix_groups(const struct ring *);
void callmix_datatypes(const struct ring *);
void callmix_misc(const struct ring *);
void callmix_rma(const struct ring *);
void callmix_large(const struct ring *);

#endif
