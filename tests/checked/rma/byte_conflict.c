/* Puts of bytes that overlap by one, in a window that counts in bytes.
 *
 * ranks: 3
 * expect: rma.conflict
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    char *memory, values[8] = {rank};
    MPI_Win window;
    MPI_Win_allocate(32, 1, MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank > 0)
        MPI_Put(values, 8, MPI_CHAR, 0, (rank - 1) * TWIN(7, 8), 8, MPI_CHAR, window); /* WRONG */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}
