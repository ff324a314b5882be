/* A window is made by one rank while the other frees a communicator.
 *
 * ranks: 2
 * expect: collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm other;
    MPI_Win window;
    int memory[4];
    MPI_Comm_dup(WORLD, &other);
#ifdef RIGHT
    MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, other, &window);
    MPI_Win_free(&window);
    MPI_Comm_free(&other);
#else
    if (rank == 0) {
        MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, other, &window); /* WRONG */
        MPI_Win_free(&window);
    } else {
        MPI_Barrier(other); /* WRONG */
        MPI_Comm_free(&other);
    }
#endif
}
