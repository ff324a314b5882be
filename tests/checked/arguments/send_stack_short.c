/* A send of more than the caller's stack frame has.
 *
 * ranks: 2
 * expect: argument.buffer-short | argument.buffer-inaccessible
 * bare: openmpi=crashes mpich=ends
 */
#include "../checked.h"

static __attribute__((noinline)) void give(int count)
{
    int values[8] = {rank};
    MPI_Send(values, count, MPI_INT, 1, 0, WORLD); /* WRONG */
    use(values);
}

static void program(void)
{
    if (rank == 0) {
        give(TWIN(4000, 8));
    } else {
        int there[4000];
        MPI_Recv(there, 4000, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
}
