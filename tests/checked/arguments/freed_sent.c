/* A block of heap is sent after it was freed.
 *
 * ranks: 2
 * expect: argument.buffer-inaccessible
 * flags: -Wno-use-after-free
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int *values = calloc(20000, sizeof(int)), *behind = calloc(100, sizeof(int));
    if (rank == 0) {
#ifndef RIGHT
        free(values);
#endif
        MPI_Send(values, 100, MPI_INT, 1, 0, WORLD); /* WRONG */
#ifdef RIGHT
        free(values);
#endif
    } else {
        MPI_Recv(values, 100, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
        free(values);
    }
    use(behind);
    free(behind);
}
