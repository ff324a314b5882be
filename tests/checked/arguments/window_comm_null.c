/* A window of MPI_COMM_NULL.
 *
 * ranks: 2
 * expect: argument.communicator
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, TWIN(MPI_COMM_NULL, WORLD), &memory, &window); /* WRONG */
    MPI_Win_free(&window);
}
