/* A row of a field is used before it has come, in optimised loops: addresses are in registers alone.
 *
 * ranks: 2
 * expect: buffer.receive-read
 * lines: first
 * flags: -O2
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

#define N 24

static double __attribute__((noinline)) row_sum(const double *row, int stride)
{
    double sum = 0;
    for (int i = 5; i < N - 5; i += stride)
        sum += row[i]; /* WRONG */
    return sum;
}

static void program(void)
{
    double *field = calloc(N * N, sizeof *field), sum = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(field + 3 * N, N, MPI_DOUBLE, 1, 0, WORLD, &request);
        for (int i = 1; i < TWIN(5, 3); i++)
            sum += row_sum(field + i * N, 2 * size);
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        use(&sum);
    } else {
        MPI_Barrier(WORLD);
        MPI_Send(field + 3 * N, N, MPI_DOUBLE, 0, 0, WORLD);
    }
    free(field);
}
