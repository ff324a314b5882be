/* MPI_MODE_NOCHECK is given to MPI_Win_start, and not to the posts that belong to it.
 *
 * ranks: 3
 * expect: rma.assertion
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = rank, zero = 0, others[2] = {1, 2};
    MPI_Group all, group;
    MPI_Win window;
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, rank ? 1 : 2, rank ? &zero : others, &group);
    if (rank)
        MPI_Win_post(group, TWIN(0, MPI_MODE_NOCHECK), window); /* WRONG */
    MPI_Barrier(WORLD);
    if (rank) {
        MPI_Win_wait(window);
    } else {
        MPI_Win_start(group, MPI_MODE_NOCHECK, window); /* WRONG */
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Put(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Win_free(&window);
}
