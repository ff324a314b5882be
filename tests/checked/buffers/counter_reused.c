/* A rank counts on all others with one variable, which it changes between the calls of MPI_Fetch_and_op.
 *
 * ranks: 3
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *counters, step[3] = {1, 1, 1}, before[3] = {0};
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &counters, &window);
    *counters = 0;
    MPI_Barrier(WORLD);
    MPI_Win_lock_all(0, window);
    for (int n = 0; n < size; n++) {
        int *own = &step[TWIN(0, n)];
        *own = rank + n + 1;
        MPI_Fetch_and_op(own, &before[n], MPI_INT, n, 0, MPI_SUM, window); /* WRONG */
        use(step);
    }
    MPI_Win_unlock_all(window); /* WRONG */
    use(before);
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
