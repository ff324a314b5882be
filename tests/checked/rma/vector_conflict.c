/* Two puts of every second element; shifted by one they would not meet.
 *
 * ranks: 3
 * expect: rma.conflict
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, values[4] = {rank};
    MPI_Win window;
    MPI_Datatype every;
    MPI_Type_vector(4, 1, 2, MPI_INT, &every);
    MPI_Type_commit(&every);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank > 0)
        MPI_Put(values, 4, MPI_INT, 0, TWIN(0, rank - 1), 1, every, window); /* WRONG */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
    MPI_Type_free(&every);
}
