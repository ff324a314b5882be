/* The shared memory of a rank that the window does not have.
 *
 * ranks: 2
 * expect: argument.rank
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *mine, *theirs, unit;
    MPI_Aint bytes;
    MPI_Win window;
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &mine, &window);
    MPI_Win_shared_query(window, TWIN(size, size - 1), &bytes, &unit, &theirs); /* WRONG */
    MPI_Win_free(&window);
}
