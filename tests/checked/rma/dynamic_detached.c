/* A put to memory that its owner has detached.
 *
 * ranks: 2
 * expect: rma.target-range
 */
#include "../checked.h"

static void program(void)
{
    int memory[8] = {rank}, value = rank;
    MPI_Aint mine, there;
    MPI_Win window;
    MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &window);
    MPI_Win_attach(window, memory, sizeof memory);
    MPI_Get_address(&memory[2], &mine);
    MPI_Sendrecv(&mine, 1, MPI_AINT, 1 - rank, 0, &there, 1, MPI_AINT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE);
#ifndef RIGHT
    MPI_Win_detach(window, memory);
    MPI_Win_attach(window, memory, sizeof(int));
#endif
    MPI_Win_fence(0, window);
    pause_ms(20);
    if (rank == 0)
        MPI_Put(&value, 1, MPI_INT, 1, there, 1, MPI_INT, window); /* WRONG */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_detach(window, memory);
    MPI_Win_free(&window);
}
