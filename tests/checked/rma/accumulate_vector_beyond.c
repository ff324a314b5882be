/* The last block of a strided accumulate is outside of the window.
 *
 * ranks: 2
 * expect: rma.target-range
 * bare: openmpi=aborts mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    int values[3] = {rank};
    MPI_Datatype spread;
    MPI_Type_vector(TWIN(3, 2), 1, 2, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Accumulate(values, TWIN(3, 2), MPI_INT, 1, 0, 1, spread, MPI_SUM, window); /* WRONG */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Type_free(&spread);
    MPI_Win_free(&window);
}
