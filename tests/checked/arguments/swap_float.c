/* MPI_Compare_and_swap of floats, for which it is not defined.
 *
 * ranks: 2
 * expect: argument.datatype | argument.operation-datatype
 * bare: openmpi=ends|crashes mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank, compare = 0, before;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    *memory = 0;
    MPI_Barrier(WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Compare_and_swap(&value, &compare, &before, TWIN(MPI_FLOAT, MPI_INT), 0, 0, window); /* WRONG */
    MPI_Win_unlock(0, window);
    MPI_Win_free(&window);
}
