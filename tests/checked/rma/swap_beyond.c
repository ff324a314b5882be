/* MPI_Compare_and_swap behind the end of the target's part, which is smaller than the others.
 *
 * ranks: 3
 * expect: rma.target-range
 * bare: openmpi=ends|crashes mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, wanted = 0, value = rank, before = 0;
    MPI_Win window;
    MPI_Win_allocate((rank == 1 ? 2 : 8) * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, (rank == 1 ? 2 : 8) * sizeof(int));
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Win_lock_all(0, window);
        MPI_Compare_and_swap(&value, &wanted, &before, MPI_INT, TWIN(1, 2), 5, window); /* WRONG */
        MPI_Win_unlock_all(window);
    }
    use(&before);
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
