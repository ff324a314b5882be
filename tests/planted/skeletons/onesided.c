/* onesided: halos by MPI_Put between fences.
 *
 * case: name=six ranks=6 mpi=openmpi
 * fact: iterations count=40
 * fact: pattern=halo neighbors=2
 * case: name=three ranks=3
 * fact: iterations count=40
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    MPI_Win window;
    MPI_Win_create(in, sizeof in, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    for (int step = 0; step < 40; step++) {
        work(10);
        for (int by = -1; by <= 1; by += 2)
            MPI_Put(out, 10, MPI_DOUBLE, (rank + size + by) % size, (by + 1) * 64, 10, MPI_DOUBLE, window);
        MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
}
