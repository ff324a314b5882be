/* A counter is incremented by others with MPI_Fetch_and_op, and by its owner with an ordinary addition.
 * 
 * ranks: 2
 * expect: rma.conflict
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *counter, one = 1, old = 0;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &counter, &window);
    *counter = 0;
    MPI_Barrier(WORLD);
    MPI_Win_lock_all(0, window);
#ifndef RIGHT
    if (rank == 0)
        *counter += one; /* WRONG */
    else
#endif
    {
        MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, window);
        MPI_Win_flush(0, window);
    }
    use(&old);
    MPI_Barrier(WORLD);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
