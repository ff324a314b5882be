/* Two origins accumulate by request with different operations.
 *
 * ranks: 3
 * expect: rma.conflict-accumulate
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Request request;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    *memory = 1;
    MPI_Barrier(WORLD);
    MPI_Win_lock_all(0, window);
    if (rank > 0) {
        MPI_Raccumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, rank == TWIN(1, -1) ? MPI_MAX : MPI_SUM, window, &request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
