/* The target exposes its window to another rank than the one that accesses it.
 *
 * ranks: 3
 * expect: deadlock.cycle | deadlock.ended
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Barrier(WORLD);
    int zero = 0, one = 1, two = 2;
    MPI_Group all, origin, target, wrong;
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 1, &zero, &origin);
    MPI_Group_incl(all, 1, &one, &target);
    MPI_Group_incl(all, 1, &two, &wrong);
    if (rank == 0) {
        MPI_Win_start(target, 0, window); /* WRONG */
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_complete(window); /* WRONG */
    }
    if (rank == 1) {
        MPI_Win_post(TWIN(wrong, origin), 0, window); /* WRONG */
        MPI_Win_wait(window); /* WRONG */
    }
    MPI_Group_free(&origin);
    MPI_Group_free(&target);
    MPI_Group_free(&wrong);
    MPI_Group_free(&all);
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
