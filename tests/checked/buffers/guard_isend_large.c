/* A function changes an element in the middle of a large send buffer before the wait.
 *
 * ranks: 2
 * expect: buffer.send-written
 * lines: first
 * options: --guard
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

enum { COUNT = 1 << 20 };

static __attribute__((noinline, unused)) void update(int *value)
{
    *value += 5; /* WRONG */
}

static void program(void)
{
    int *values = calloc(COUNT, sizeof *values);
    MPI_Request request;
    if (rank == 0) {
        MPI_Issend(values, COUNT, MPI_INT, 1, 0, WORLD, &request);
#ifndef RIGHT
        update(values + COUNT / 2);
#endif
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        values[COUNT / 2] = 3;
        use(values);
    } else {
        MPI_Barrier(WORLD);
        MPI_Recv(values, COUNT, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
    free(values);
}
