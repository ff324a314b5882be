/* MPI_Fetch_and_op behind the end of the window.
 *
 * ranks: 2
 * expect: rma.target-range
 * bare: openmpi=aborts mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    int before;
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Fetch_and_op(&value, &before, MPI_INT, 1, TWIN(4, 0), MPI_SUM, window); /* WRONG */
        MPI_Win_unlock(1, window);
    }
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
