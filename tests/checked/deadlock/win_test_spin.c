/* A process asks in a loop whether its window is accessed no more, and the origin waits for its message.
 *
 * ranks: 2
 * expect: deadlock.polling
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int *cells, other = 1 - rank, done = 0, token = 0;
    MPI_Win window;
    MPI_Group all, partner;
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 1, &other, &partner);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &cells, &window);
    if (rank == 0) {
        MPI_Win_post(partner, 0, window);
#ifdef RIGHT
        MPI_Send(&token, 1, MPI_INT, 1, 0, WORLD);
#endif
        while (!done)
            MPI_Win_test(window, &done); /* WRONG */
#ifndef RIGHT
        MPI_Send(&token, 1, MPI_INT, 1, 0, WORLD);
#endif
    } else {
        MPI_Win_start(partner, 0, window);
        MPI_Recv(&token, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Win_complete(window);
    }
    MPI_Win_free(&window);
    MPI_Group_free(&partner);
    MPI_Group_free(&all);
}
