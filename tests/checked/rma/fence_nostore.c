/* A rank stores into its window and asserts in the next fence that it has not.
 *
 * ranks: 2
 * expect: rma.assertion
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double *cells, ghost = rank;
    MPI_Win window;
    MPI_Win_allocate(10 * sizeof(double), sizeof(double), MPI_INFO_NULL, WORLD, &cells, &window);
    for (int i = 0; i < 10; i++)
        cells[i] = i;
    for (int step = 0; step < 3; step++) {
        MPI_Win_fence(0, window);
        MPI_Put(&ghost, 1, MPI_DOUBLE, 1 - rank, 9, 1, MPI_DOUBLE, window);
        MPI_Win_fence(0, window);
        cells[0] = cells[9] + step;
        use(cells);
        MPI_Win_fence(TWIN(MPI_MODE_NOSTORE, 0), window); /* WRONG */
        ghost += 1;
    }
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}
