/* A window is made of more memory than was allocated: its size is in bytes already.
 * 
 * ranks: 2
 * expect: argument.buffer-short
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *cells = malloc(20 * sizeof(int));
    MPI_Win window;
    MPI_Win_create(cells, 20 * sizeof(int) * TWIN(sizeof(int), 1), sizeof(int), MPI_INFO_NULL, WORLD, &window); /* WRONG */
    MPI_Win_free(&window);
    free(cells);
}
