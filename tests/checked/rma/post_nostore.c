/* A rank changes its window between two exposures and says at the second that it has not.
 *
 * ranks: 2
 * expect: rma.assertion
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *memory, value = 7, peer = 1 - rank;
    MPI_Group all, other;
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(int));
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 1, &peer, &other);
    for (int step = 0; step < 2; step++) {
        if (rank == 0) {
            MPI_Win_post(other, step ? TWIN(MPI_MODE_NOSTORE, 0) : 0, window); /* WRONG */
            MPI_Win_wait(window);
            memory[0] = memory[1] + 1;
            use(memory);
        } else {
            MPI_Win_start(other, 0, window);
            MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
            MPI_Win_complete(window);
        }
    }
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    MPI_Win_free(&window);
}
