/* A process loads an element of its window by an index while another one puts something there; not optimised.
 *
 * ranks: 2
 * expect: rma.conflict
 * lines: all
 * flags: -O0
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static int load(const int *window, int at)
{
    return window[at]; /* WRONG */
}

static void program(void)
{
    int *window, value = 7, got = 0, element = 11 + size;
    MPI_Win win;
    MPI_Win_allocate(32 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &window, &win);
    memset(window, 0, 32 * sizeof(int));
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(&value, 1, MPI_INT, 1, element, 1, MPI_INT, win); /* WRONG */
    else
        got = load(window, element + TWIN(0, 1));
    MPI_Win_fence(0, win);
    use(&got);
    MPI_Win_free(&win);
}
