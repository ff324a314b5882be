/* A large piece of the rank's own window is put by a request and sorted before the wait.
 *
 * ranks: 2
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

enum { COUNT = 20000 };

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void program(void)
{
    int *keys;
    MPI_Request request;
    MPI_Win window;
    MPI_Win_allocate(2 * COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &keys, &window);
    for (int i = 0; i < 2 * COUNT; i++)
        keys[i] = (i * 7919) % 10007;
    MPI_Barrier(WORLD);
    MPI_Win_lock_all(0, window);
    MPI_Rput(keys, COUNT, MPI_INT, 1 - rank, COUNT, COUNT, MPI_INT, window, &request); /* WRONG */
    TWIN(, MPI_Wait(&request, MPI_STATUS_IGNORE));
    qsort(keys, COUNT, sizeof(int), by_value);
    TWIN(MPI_Wait(&request, MPI_STATUS_IGNORE), ); /* WRONG */
    MPI_Win_unlock_all(window);
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
