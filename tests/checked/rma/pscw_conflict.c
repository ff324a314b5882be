/* Two origins put to the same place of an exposed window.
 *
 * ranks: 3
 * expect: rma.conflict
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank, zero = 0, others[2] = {1, 2};
    MPI_Win window;
    MPI_Group all, target, origins;
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 1, &zero, &target);
    MPI_Group_incl(all, 2, others, &origins);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    if (rank == 0) {
        MPI_Win_post(origins, 0, window);
        MPI_Win_wait(window);
    } else {
        MPI_Win_start(target, 0, window);
        MPI_Put(&value, 1, MPI_INT, 0, TWIN(0, rank), 1, MPI_INT, window); /* WRONG */
        MPI_Win_complete(window);
    }
    MPI_Win_free(&window);
    MPI_Group_free(&origins);
    MPI_Group_free(&target);
    MPI_Group_free(&all);
}
