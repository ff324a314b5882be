/* Ranks have windows of different sizes, and say that they are the same.
 *
 * ranks: 2
 * expect: rma.assertion
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double *values;
    MPI_Info info;
    MPI_Win window;
    MPI_Info_create(&info);
    MPI_Info_set(info, "same_size", "true");
    /* The last rank has what is left. */
    int n = TWIN(rank == size - 1 ? 60 : 64, 64);
    MPI_Win_allocate(n * sizeof(double), sizeof(double), info, WORLD, &values, &window); /* WRONG */
    MPI_Info_free(&info);
    MPI_Win_fence(0, window);
    double one = 1;
    MPI_Put(&one, 1, MPI_DOUBLE, (rank + 1) % size, rank, 1, MPI_DOUBLE, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}
