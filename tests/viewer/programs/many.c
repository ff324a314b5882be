/* Many functions, several of them of one class, each with a time of its own: for colours, legends and filters. */

#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { WORDS = 1 << 12, ROUNDS = 12 };

/* Sleeps: with more ranks than cores, ranks that compute would wait for each other outside of MPI. */
static void work(double seconds) {
    struct timespec left = {0, (long)(seconds * 1e9)};
    nanosleep(&left, NULL);
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double *out = calloc((size_t)WORDS * (size_t)ranks, sizeof *out);
    double *in = calloc((size_t)WORDS * (size_t)ranks, sizeof *in);
    int *counts = malloc((size_t)ranks * sizeof *counts), *places = malloc((size_t)ranks * sizeof *places);
    for (int to = 0; to < ranks; to++) counts[to] = 16, places[to] = to * 16;
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    int periodic[1] = {1};
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, periodic, 0, &ring);
    /* The later a rank, the longer all others wait for it; each kind of call with more of that than the next. */
    const double step = 4e-4 * rank;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request requests[2];
        work(6 * step);
        MPI_Allreduce(out, in, WORDS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        work(5 * step);
        MPI_Alltoall(out, 16, MPI_DOUBLE, in, 16, MPI_DOUBLE, MPI_COMM_WORLD);
        work(4 * step);
        MPI_Alltoallv(out, counts, places, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
        work(3 * step);
        MPI_Allgather(out, 16, MPI_DOUBLE, in, 16, MPI_DOUBLE, MPI_COMM_WORLD);
        work(3 * step);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Irecv(in, WORDS, MPI_DOUBLE, left, 7, ring, &requests[0]);
        work(2 * step);
        MPI_Isend(out, WORDS, MPI_DOUBLE, right, 7, ring, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        work(2 * step);
        MPI_Sendrecv(out, 64, MPI_DOUBLE, right, 0, in, 64, MPI_DOUBLE, left, 0, ring, MPI_STATUS_IGNORE);
        work(step);
        if (rank % 2) {
            MPI_Send(out, WORDS, MPI_DOUBLE, left, 1, ring);
        } else if (rank + 1 < ranks) {
            MPI_Probe(right, 1, ring, MPI_STATUS_IGNORE);
            MPI_Recv(in, WORDS, MPI_DOUBLE, right, 1, ring, MPI_STATUS_IGNORE);
        }
        MPI_Bcast(out, 16, MPI_DOUBLE, 0, ring);
        MPI_Reduce(out, in, 16, MPI_DOUBLE, MPI_SUM, 0, ring);
        MPI_Neighbor_allgather(out, 16, MPI_DOUBLE, in, 16, MPI_DOUBLE, ring);
    }
    MPI_Comm_free(&ring);
    MPI_Finalize();
    free(out), free(in), free(counts), free(places);
    return 0;
}
