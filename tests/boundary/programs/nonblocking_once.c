/* Non-blocking collective operations, once each: pairs of a name and a number of doubles for each rank. Where Open MPI counts messages
 * (pml_monitoring_enable), prints for each how many there were, how many rank 0 sent, and how many it received. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IS(name) !strcmp(operation, "MPI_" name)

/* Open MPI calls its own such function for each message; linked with -rdynamic, this one. */
static unsigned long sent_to[64];

void mca_common_monitoring_record_pml(int rank, size_t bytes, int tag)
{
    sent_to[rank]++;
}

int main(int argc, char **argv)
{
    int ranks, rank;
    MPI_Comm w = MPI_COMM_WORLD;
    MPI_Datatype t = MPI_DOUBLE;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(w, &ranks);
    MPI_Comm_rank(w, &rank);
    for (int at = 1; at + 1 < argc; at += 2) {
        const char *operation = argv[at];
        int n = atoi(argv[at + 1]), counts[64], starts[64];
        double *out = calloc((size_t)ranks * n + 1, sizeof *out), *in = calloc((size_t)ranks * n + 1, sizeof *in);
        MPI_Request r = MPI_REQUEST_NULL;
        for (int i = 0; i < ranks; i++) {
            counts[i] = n;
            starts[i] = i * n;
        }
        memset(sent_to, 0, sizeof sent_to);
        if (IS("Ibarrier"))
            MPI_Ibarrier(w, &r);
        else if (IS("Ibcast"))
            MPI_Ibcast(out, n, t, 0, w, &r);
        else if (IS("Iallreduce"))
            MPI_Iallreduce(out, in, n, t, MPI_SUM, w, &r);
        else if (IS("Ireduce"))
            MPI_Ireduce(out, in, n, t, MPI_SUM, 0, w, &r);
        else if (IS("Iallgather"))
            MPI_Iallgather(out, n, t, in, n, t, w, &r);
        else if (IS("Iallgatherv"))
            MPI_Iallgatherv(out, n, t, in, counts, starts, t, w, &r);
        else if (IS("Ialltoall"))
            MPI_Ialltoall(out, n, t, in, n, t, w, &r);
        else if (IS("Ialltoallv"))
            MPI_Ialltoallv(out, counts, starts, t, in, counts, starts, t, w, &r);
        else if (IS("Igather"))
            MPI_Igather(out, n, t, in, n, t, 0, w, &r);
        else if (IS("Iscatter"))
            MPI_Iscatter(out, n, t, in, n, t, 0, w, &r);
        else if (IS("Iscan"))
            MPI_Iscan(out, in, n, t, MPI_SUM, w, &r);
        else if (IS("Iexscan"))
            MPI_Iexscan(out, in, n, t, MPI_SUM, w, &r);
        else if (IS("Ireduce_scatter_block"))
            MPI_Ireduce_scatter_block(out, in, n, t, MPI_SUM, w, &r);
        else
            fprintf(stderr, "%s: no such operation\n", operation);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        if (getenv("OMPI_MCA_pml_monitoring_enable")) {
            unsigned long sums[3] = {0, 0, 0}, of_all[3];
            for (int i = 0; i < ranks; i++) {
                sums[0] += sent_to[i];
                sums[1] += rank == 0 ? sent_to[i] : 0;
                sums[2] += i == 0 ? sent_to[i] : 0;
            }
            MPI_Reduce(sums, of_all, 3, MPI_UNSIGNED_LONG, MPI_SUM, 0, w);
            if (rank == 0)
                printf("%s %d %lu %lu %lu\n", operation, n, of_all[0], of_all[1], of_all[2]);
            MPI_Barrier(w);
        }
        free(out);
        free(in);
    }
    MPI_Finalize();
    return 0;
}
