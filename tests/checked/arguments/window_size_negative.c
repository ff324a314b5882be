/* A window of negative size.
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
    MPI_Win_create(memory, TWIN(-16, 16), 4, MPI_INFO_NULL, WORLD, &window); /* WRONG */
    MPI_Win_free(&window);
}
