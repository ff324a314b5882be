/* A function sums some of what is being received, by a pointer from a structure; not optimised.
 *
 * ranks: 2
 * expect: buffer.receive-read
 * lines: first
 * flags: -O0
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

struct halo {
    int width;
    int *own, *ghost;
    MPI_Request request;
};

static void begin(struct halo *halo, int peer)
{
    MPI_Irecv(halo->ghost, halo->width, MPI_INT, peer, 0, WORLD, &halo->request);
}

static int sum_from(const int *values, int from, int to)
{
    int sum = 0;
    for (int i = from; i < to; i += 3)
        sum += values[i]; /* WRONG */
    return sum;
}

static int inner(const struct halo *halo)
{
    return sum_from(TWIN(halo->ghost, halo->own), 20, halo->width - 20);
}

static void program(void)
{
    int own[100] = {0}, ghost[100] = {0}, sum;
    struct halo halo = {100, own, ghost, MPI_REQUEST_NULL};
    if (rank == 0) {
        begin(&halo, 1);
        sum = inner(&halo);
        MPI_Barrier(WORLD);
        MPI_Wait(&halo.request, MPI_STATUS_IGNORE);
        use(&sum);
    } else {
        MPI_Barrier(WORLD);
        MPI_Send(own, 100, MPI_INT, 0, 0, WORLD);
    }
}
