/* An exposure epoch for MPI_GROUP_NULL.
 *
 * ranks: 2
 * expect: argument.group
 * allow: rma.epoch-unmatched
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_post(TWIN(MPI_GROUP_NULL, MPI_GROUP_EMPTY), 0, window); /* WRONG */
    MPI_Win_wait(window);
    MPI_Win_free(&window);
}
