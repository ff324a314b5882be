/* A window with a displacement unit of 0.
 *
 * ranks: 2
 * expect: argument.value
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int memory[4];
    MPI_Win window;
    MPI_Win_create(memory, sizeof memory, TWIN(0, sizeof(int)), MPI_INFO_NULL, WORLD, &window); /* WRONG */
    MPI_Win_free(&window);
}
