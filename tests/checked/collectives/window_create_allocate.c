/* One rank creates a window, the other allocates one.
 *
 * ranks: 2
 * expect: collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * lines: all
 * bare: openmpi=crashes mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int memory[4], *there;
    MPI_Win window;
    if (TWIN(rank == 0, 1))
        MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, WORLD, &window); /* WRONG */
    else
        MPI_Win_allocate(sizeof memory, 4, MPI_INFO_NULL, WORLD, &there, &window); /* WRONG */
    MPI_Win_free(&window);
}
