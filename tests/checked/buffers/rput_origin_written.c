/* The origin buffer of an MPI_Rput is changed before its request is complete.
 *
 * ranks: 2
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, values[4] = {rank};
    MPI_Win window;
    MPI_Request request;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Rput(values, 4, MPI_INT, 1, 0, 4, MPI_INT, window, &request); /* WRONG */
#ifndef RIGHT
        values[1] = 8;
        use(values);
#endif
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
        values[1] = 8;
        use(values);
    }
    MPI_Win_unlock_all(window); /* WRONG */
    MPI_Win_free(&window);
}
