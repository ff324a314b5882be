/* The memory of a window is a variable of a function that has returned.
 *
 * ranks: 2
 * expect: argument.buffer-inaccessible
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static __attribute__((noinline)) void make(MPI_Win *window, int *lasting)
{
    int cells[64] = {0};
    use(cells);
    MPI_Win_create(TWIN(cells, lasting), sizeof cells, sizeof(int), MPI_INFO_NULL, WORLD, window);
    use(cells);
}

static __attribute__((noinline)) void end(MPI_Win *window)
{
    MPI_Win_fence(MPI_MODE_NOSUCCEED, *window); /* WRONG */
    MPI_Win_free(window);
}

static void program(void)
{
    int lasting[64] = {0};
    MPI_Win window;
    make(&window, lasting);
    end(&window);
    use(lasting);
}
