/* An exposed window waits for an origin that waits for a message of it.
 *
 * ranks: 2
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank, given = rank, other = 1 - rank;
    MPI_Win window;
    MPI_Group all, there;
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 1, &other, &there);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    if (rank == 0) {
        MPI_Win_start(there, 0, window);
        MPI_Put(&given, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
#ifdef RIGHT
        MPI_Win_complete(window);
        MPI_Recv(&value, 1, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE);
#else
        MPI_Recv(&value, 1, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Win_complete(window);
#endif
    } else {
        MPI_Win_post(there, 0, window);
        MPI_Win_wait(window); /* WRONG */
        MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
    }
    MPI_Win_free(&window);
    MPI_Group_free(&there);
    MPI_Group_free(&all);
}
