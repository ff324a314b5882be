/* Preloaded into a program under Open MPI: writes which of its algorithms run, in the order in which they begin, to the file OBSERVED
 * (rank 0 only). All arguments are passed on as words, which fits the calling convention of x86-64 and aarch64. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *file(void)
{
    static FILE *opened;
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *path = getenv("OBSERVED");
    if (!opened && rank && !strcmp(rank, "0") && path)
        opened = fopen(path, "w");
    return opened;
}

void announce(const char *function, int bytes)
{
    if (file()) {
        fprintf(file(), "= %s %d\n", function, bytes);
        fflush(file());
    }
}

typedef int (*algorithm)(long, long, long, long, long, long, long, long, long, long, long, long);

#define SEEN_OF(prefix, name, text)                                                                                              \
    int prefix##name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l)    \
    {                                                                                                                            \
        static algorithm own;                                                                                                    \
        if (!own)                                                                                                                \
            own = (algorithm)dlsym(RTLD_NEXT, #prefix #name);                                                          \
        if (file())                                                                                                              \
            fprintf(file(), "%s\n", text #name);                                                                                 \
        return own(a, b, c, d, e, f, g, h, i, j, k, l);                                                                          \
    }

#define SEEN(name) SEEN_OF(ompi_coll_base_, name, "")
/* Of the hierarchical component, and of the one for non-blocking operations that it calls. */
#define SEEN_HAN(name) SEEN_OF(mca_coll_han_, name, "han ")
#define SEEN_NBC(name) SEEN_OF(ompi_coll_libnbc_, name, "libnbc ")

SEEN(allgather_intra_basic_linear)
SEEN(allgather_intra_bruck)
SEEN(allgather_intra_neighborexchange)
SEEN(allgather_intra_recursivedoubling)
SEEN(allgather_intra_ring)
SEEN(allgather_intra_two_procs)
SEEN(allreduce_intra_basic_linear)
SEEN(allreduce_intra_nonoverlapping)
SEEN(allreduce_intra_recursivedoubling)
SEEN(allreduce_intra_redscat_allgather)
SEEN(allreduce_intra_ring)
SEEN(allreduce_intra_ring_segmented)
SEEN(alltoall_intra_basic_linear)
SEEN(alltoall_intra_bruck)
SEEN(alltoall_intra_linear_sync)
SEEN(alltoall_intra_pairwise)
SEEN(alltoall_intra_two_procs)
SEEN(barrier_intra_basic_linear)
SEEN(barrier_intra_bruck)
SEEN(barrier_intra_doublering)
SEEN(barrier_intra_recursivedoubling)
SEEN(barrier_intra_tree)
SEEN(barrier_intra_two_procs)
SEEN(bcast_intra_basic_linear)
SEEN(bcast_intra_binomial)
SEEN(bcast_intra_bintree)
SEEN(bcast_intra_chain)
SEEN(bcast_intra_knomial)
SEEN(bcast_intra_pipeline)
SEEN(bcast_intra_scatter_allgather)
SEEN(bcast_intra_scatter_allgather_ring)
SEEN(bcast_intra_split_bintree)
SEEN(gather_intra_basic_linear)
SEEN(gather_intra_binomial)
SEEN(gather_intra_linear_sync)
SEEN(reduce_intra_basic_linear)
SEEN(reduce_intra_binary)
SEEN(reduce_intra_binomial)
SEEN(reduce_intra_chain)
SEEN(reduce_intra_in_order_binary)
SEEN(reduce_intra_pipeline)
SEEN(reduce_intra_redscat_gather)
SEEN(reduce_scatter_block_basic_linear)
SEEN(reduce_scatter_block_intra_butterfly)
SEEN(reduce_scatter_block_intra_recursivedoubling)
SEEN(reduce_scatter_block_intra_recursivehalving)
SEEN(reduce_scatter_intra_basic_recursivehalving)
SEEN(reduce_scatter_intra_butterfly)
SEEN(reduce_scatter_intra_nonoverlapping)
SEEN(reduce_scatter_intra_ring)
SEEN(scan_intra_linear)
SEEN(scan_intra_recursivedoubling)
SEEN(scatter_intra_basic_linear)
SEEN(scatter_intra_binomial)
SEEN(scatter_intra_linear_nb)
SEEN_HAN(allgather_intra)
SEEN_HAN(allgather_intra_simple)
SEEN_HAN(allreduce_intra)
SEEN_HAN(allreduce_intra_simple)
SEEN_HAN(allreduce_reproducible)
SEEN_HAN(barrier_intra_simple)
SEEN_HAN(bcast_intra)
SEEN_HAN(bcast_intra_simple)
SEEN_HAN(gather_intra)
SEEN_HAN(gather_intra_simple)
SEEN_HAN(reduce_intra)
SEEN_HAN(reduce_intra_simple)
SEEN_HAN(reduce_reproducible)
SEEN_HAN(scatter_intra)
SEEN_HAN(scatter_intra_simple)
SEEN_NBC(ibcast)
SEEN_NBC(ireduce)
