/* The buffer of an MPI_Rget is written before the request is complete.
 *
 * ranks: 2
 * expect: buffer.receive-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, values[4] = {rank};
    MPI_Win window;
    MPI_Request request;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 1, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Rget(values, 4, MPI_INT, 1, 0, 4, MPI_INT, window, &request); /* WRONG */
#ifndef RIGHT
        values[2] = 1234;
        use(values);
#endif
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    }
    MPI_Win_unlock_all(window); /* WRONG */
    MPI_Win_free(&window);
}
