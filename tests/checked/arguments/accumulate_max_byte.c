/* MPI_MAX of MPI_BYTE in an accumulate.
 *
 * ranks: 2
 * expect: argument.operation-datatype
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    char *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate(1, 1, MPI_INFO_NULL, WORLD, &memory, &window);
    *memory = 0;
    MPI_Win_fence(0, window);
    MPI_Accumulate(&value, 1, TWIN(MPI_BYTE, MPI_SIGNED_CHAR), 0, 0, 1, TWIN(MPI_BYTE, MPI_SIGNED_CHAR), MPI_MAX, window); /* WRONG */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
