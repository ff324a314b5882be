/* A counter that others add to is read between MPI_Win_post and MPI_Win_wait, in a loop over steps.
 *
 * ranks: 3
 * expect: rma.conflict
 * lines: any
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    double *counter, one = 1, seen = 0;
    MPI_Win window;
    MPI_Group all, others, root;
    int first = 0;
    MPI_Win_allocate(rank == 0 ? sizeof(double) : 0, sizeof(double), MPI_INFO_NULL, WORLD, &counter, &window);
    MPI_Comm_group(WORLD, &all);
    MPI_Group_excl(all, 1, &first, &others);
    MPI_Group_incl(all, 1, &first, &root);
    if (rank == 0)
        *counter = 0;
    for (int step = 0; step < 12; step++) {
        if (rank == 0) {
            MPI_Win_post(others, 0, window);
            use(counter);
#ifndef RIGHT
            seen += *counter; /* WRONG */
#endif
            MPI_Win_wait(window);
            seen += *counter;
            use(&seen);
        } else {
            MPI_Win_start(root, 0, window);
            MPI_Accumulate(&one, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_SUM, window);
            MPI_Win_complete(window);
        }
    }
    MPI_Group_free(&all);
    MPI_Group_free(&others);
    MPI_Group_free(&root);
    MPI_Win_free(&window);
}
