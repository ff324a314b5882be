/* All ranks write the same element of memory that they share, between two fences.
 * 
 * ranks: 3
 * expect: rma.conflict
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *own, *cells, unit;
    MPI_Win window;
    MPI_Aint bytes;
    MPI_Win_allocate_shared(rank == 0 ? 64 : 0, sizeof(int), MPI_INFO_NULL, WORLD, &own, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &cells);
    MPI_Win_fence(0, window);
#ifdef RIGHT
    cells[rank] = 5 + rank;
#else
    cells[0] = 5 + rank; /* WRONG */
#endif
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
