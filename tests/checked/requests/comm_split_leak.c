/* A loop splits a communicator and frees the last one only.
 *
 * ranks: 2
 * expect: leak.communicator
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm part = MPI_COMM_NULL;
    for (int step = 0; step < 4; step++) {
#ifdef RIGHT
        if (part != MPI_COMM_NULL)
            MPI_Comm_free(&part);
#endif
        MPI_Comm_split(WORLD, (rank + step) % 2, 0, &part); /* WRONG */
    }
    MPI_Comm_free(&part);
}
