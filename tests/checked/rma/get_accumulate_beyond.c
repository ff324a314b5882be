/* MPI_Get_accumulate of elements that begin inside of the window and end behind it.
 *
 * ranks: 2
 * expect: rma.target-range
 * bare: openmpi=aborts mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, values[4] = {1, 2, 3, 4}, before[4] = {0};
    MPI_Win window;
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 8 * sizeof(int));
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Get_accumulate(values, 4, MPI_INT, before, 4, MPI_INT, 1, TWIN(6, 4), 4, MPI_INT, MPI_SUM, window); /* WRONG */
        MPI_Win_unlock(1, window);
    }
    use(before);
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
