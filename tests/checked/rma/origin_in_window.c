/* The origin buffer of a put lies in the part of the window that another rank writes.
 *
 * ranks: 2
 * expect: rma.conflict | buffer.in-use
 * allow: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    MPI_Win_fence(0, window);
    MPI_Put(&memory[TWIN(0, 1)], 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window); /* WRONG */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}
