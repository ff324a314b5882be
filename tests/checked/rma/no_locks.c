/* A window whose info says that it is never locked is locked.
 *
 * ranks: 2
 * expect: rma.assertion
 * bare: openmpi=aborts mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Info info;
    MPI_Win window;
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", TWIN("true", "false"));
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), info, WORLD, &memory, &window);
    MPI_Info_free(&info);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window); /* WRONG */
        MPI_Put(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, window);
        MPI_Win_unlock(1, window);
    }
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
