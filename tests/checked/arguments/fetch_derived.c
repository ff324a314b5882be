/* MPI_Fetch_and_op with a derived datatype; only predefined ones are allowed.
 *
 * ranks: 2
 * expect: argument.datatype | argument.operation-datatype
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank, before;
    MPI_Win window;
    MPI_Datatype one;
    MPI_Type_contiguous(1, MPI_INT, &one);
    MPI_Type_commit(&one);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    *memory = 0;
    MPI_Barrier(WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Fetch_and_op(&value, &before, TWIN(one, MPI_INT), 0, 0, MPI_SUM, window); /* WRONG */
    MPI_Win_unlock(0, window);
    MPI_Win_free(&window);
    MPI_Type_free(&one);
}
