/* Between counter.c and the generated wrappers. */
#ifndef MPICOUNT_COUNTER_H
#define MPICOUNT_COUNTER_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>

/* An argument of a Fortran procedure: an address, or a hidden string length. */
typedef uintptr_t word;

struct count {
    atomic_long direct;   /* calls that the program made */
    atomic_long callback; /* calls that it made from a function which MPI called */
};

extern const char *const count_name[];
extern const int count_names;
extern struct count counts[];
extern const int index_of_MPI_Pcontrol;

void count_enter(int index, const void *caller);
void count_leave(void);
void count_report(void);
void *count_next(const char *symbol);

/* The function to hand a C call on to. With CHAIN it is the next one of that name in the order of
 * loading, which may be another tool's: both then see the same calls of the same run. */
#ifdef CHAIN
#define NEXT(pmpi, mpi)                                  \
    ({                                                   \
        static __typeof__(&pmpi) real;                   \
        if (!real)                                       \
            real = (__typeof__(&pmpi))count_next(#mpi);  \
        real;                                            \
    })
#else
#define NEXT(pmpi, mpi) pmpi
#endif

#endif
