/* Three communicators of pairs, in an order that goes round in a circle.
 *
 * ranks: 3
 * expect: deadlock.collective | deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm pair[3];
    /* Pair n: ranks n and n + 1. Every rank begins with its right pair; rank 2 must not. */
    for (int n = 0; n < 3; n++)
        MPI_Comm_split(WORLD, rank == n || rank == (n + 1) % 3 ? 1 : MPI_UNDEFINED, rank, &pair[n]);
    int first = rank, second = (rank + 2) % 3;
    if (TWIN(0, rank == 2)) {
        first = 1;
        second = 2;
    }
    MPI_Barrier(pair[first]); /* WRONG */
    MPI_Barrier(pair[second]);
    for (int n = 0; n < 3; n++)
        if (pair[n] != MPI_COMM_NULL)
            MPI_Comm_free(&pair[n]);
}
