/* A window is made of four times the memory that was allocated: its size is in bytes, and the block is large.
 *
 * ranks: 2
 * expect: argument.buffer-short | argument.buffer-inaccessible
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    const MPI_Aint count = 100000;
    double *before = malloc(8 * count * sizeof(double)), *cells = malloc(count * sizeof(double));
    MPI_Win window;
    MPI_Win_create(cells, TWIN(sizeof(double), 1) * count * sizeof(double), sizeof(double), MPI_INFO_NULL, WORLD, &window); /* WRONG */
    MPI_Win_free(&window);
    use(before);
    free(cells);
    free(before);
}
