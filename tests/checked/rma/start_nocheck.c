/* MPI_Win_start says that the target has posted its window, which it does later.
 *
 * ranks: 2
 * expect: rma.assertion
 * bare: openmpi=hangs mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = 7, peer = 1 - rank;
    MPI_Group all, other;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 1, &peer, &other);
    if (rank == 0) {
        work_ms(200);
        MPI_Win_post(other, MPI_MODE_NOCHECK, window); /* WRONG */
#ifdef RIGHT
        MPI_Barrier(WORLD);
#endif
        MPI_Win_wait(window);
    } else {
#ifdef RIGHT
        MPI_Barrier(WORLD);
#endif
        MPI_Win_start(other, MPI_MODE_NOCHECK, window); /* WRONG */
        MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
        MPI_Win_complete(window);
    }
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    MPI_Win_free(&window);
}
