/* A put to a rank that is not in the group of MPI_Win_start.
 *
 * ranks: 3
 * expect: rma.no-epoch
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
    int one = 1, zero = 0;
    MPI_Group all, origin, target;
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 1, &zero, &origin);
    MPI_Group_incl(all, 1, &one, &target);
    if (rank == 0) {
        MPI_Win_start(target, 0, window);
        MPI_Put(&value, 1, MPI_INT, TWIN(2, 1), 0, 1, MPI_INT, window); /* WRONG */
        MPI_Win_complete(window);
    }
    if (rank == 1) {
        MPI_Win_post(origin, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&origin);
    MPI_Group_free(&target);
    MPI_Group_free(&all);
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
