/* A message is sent from the window while another rank puts there.
 *
 * ranks: 2
 * expect: rma.conflict | buffer.in-use
 * allow: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Put(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, window); /* WRONG */
#ifdef RIGHT
        MPI_Win_fence(0, window);
#endif
        MPI_Recv(&value, 1, MPI_INT, 1, 5, WORLD, MPI_STATUS_IGNORE);
    } else {
#ifdef RIGHT
        MPI_Win_fence(0, window);
#endif
        MPI_Send(&memory[2], 1, MPI_INT, 0, 5, WORLD); /* WRONG */
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}
