/* A window of memory that is NULL, with a size.
 *
 * ranks: 2
 * expect: argument.buffer-null
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    static int cells[16];
    MPI_Win window;
    MPI_Win_create(TWIN(NULL, cells), sizeof cells, sizeof(int), MPI_INFO_NULL, WORLD, &window); /* WRONG */
    MPI_Win_free(&window);
    use(cells);
}
