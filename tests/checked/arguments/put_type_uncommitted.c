/* A put with a datatype of the target that was not committed.
 *
 * ranks: 2
 * expect: argument.datatype-uncommitted
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory, values[2] = {rank};
    MPI_Win window;
    MPI_Datatype column;
    MPI_Type_vector(2, 1, 2, MPI_INT, &column);
#ifdef RIGHT
    MPI_Type_commit(&column);
#endif
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(values, 2, MPI_INT, 1, 0, 1, column, window); /* WRONG */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Type_free(&column);
}
