/* MPI_Win_post says that nobody will put, and an accumulate comes.
 *
 * ranks: 2
 * expect: rma.assertion
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    long *total, mine = rank + 1;
    int peer = 1 - rank;
    MPI_Group all, other;
    MPI_Win window;
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, WORLD, &total, &window);
    *total = 0;
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 1, &peer, &other);
    if (rank == 1) {
        MPI_Win_post(other, TWIN(MPI_MODE_NOPUT, 0), window); /* WRONG */
        MPI_Win_wait(window);
    } else {
        MPI_Win_start(other, 0, window);
        MPI_Accumulate(&mine, 1, MPI_LONG, 1, 0, 1, MPI_LONG, MPI_SUM, window); /* WRONG */
        MPI_Win_complete(window);
    }
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    MPI_Win_free(&window);
}
