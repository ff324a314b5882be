/* An access epoch for a target that never exposes its window.
 *
 * ranks: 2
 * expect: deadlock.cycle | deadlock.ended
 * lines: any
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank, other = 1 - rank;
    MPI_Win window;
    MPI_Group all, there;
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 1, &other, &there);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    if (rank == 0) {
        MPI_Win_start(there, 0, window); /* WRONG */
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_complete(window); /* WRONG */
    }
#ifdef RIGHT
    if (rank == 1) {
        MPI_Win_post(there, 0, window);
        MPI_Win_wait(window);
    }
#endif
    MPI_Win_free(&window); /* WRONG */
    MPI_Group_free(&there);
    MPI_Group_free(&all);
}
