/* Attached memory is read by its owner in the epoch in which another rank puts something there.
 * 
 * ranks: 2
 * expect: rma.conflict
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *cells = calloc(64, sizeof(int)), value = 3, seen = 0;
    MPI_Win window;
    MPI_Aint here, there;
    MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &window);
    MPI_Win_attach(window, cells, 64 * sizeof(int));
    MPI_Get_address(cells, &here);
    MPI_Sendrecv(&here, 1, MPI_AINT, 1 - rank, 0, &there, 1, MPI_AINT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(&value, 1, MPI_INT, 1, there, 1, MPI_INT, window); /* WRONG */
#ifdef RIGHT
    MPI_Win_fence(0, window);
#endif
    if (rank == 1)
        seen = cells[0];
    use(&seen);
    MPI_Win_fence(0, window);
    MPI_Win_detach(window, cells);
    MPI_Win_free(&window);
    free(cells);
}
