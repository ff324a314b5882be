/* A process stores behind a loop what another one puts there; the loop's loads are right. Not optimised.
 *
 * ranks: 2
 * expect: rma.conflict
 * lines: all
 * flags: -O0
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

#define N 4096

static void program(void)
{
    double *window, value = 7, sum = 0;
    int element = N / 3 + size;
    MPI_Win win;
    /* Larger than what is compared. */
    MPI_Win_allocate(4 * N * sizeof(double), sizeof(double), MPI_INFO_NULL, WORLD, &window, &win);
    memset(window, 0, 4 * N * sizeof(double));
    MPI_Win_fence(0, win);
    if (rank == 0) {
        MPI_Put(&value, 1, MPI_DOUBLE, 1, element, 1, MPI_DOUBLE, win); /* WRONG */
    } else {
        for (int i = 0; i < 50; i++)
            sum += window[i];
        window[TWIN(element, element + 1)] = sum; /* WRONG */
    }
    MPI_Win_fence(0, win);
    use(&sum);
    MPI_Win_free(&win);
}
