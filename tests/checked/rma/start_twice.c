/* An access epoch is started in another one.
 *
 * ranks: 2
 * expect: rma.epoch-nested
 * allow: rma.epoch-open
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    int other = 1 - rank;
    MPI_Group all, there;
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 1, &other, &there);
    if (rank == 0) {
        MPI_Win_start(there, 0, window);
#ifndef RIGHT
        MPI_Win_start(there, 0, window); /* WRONG */
#endif
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(there, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&there);
    MPI_Group_free(&all);
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
