/* An element that goes into a reduction under way is changed; not optimised.
 *
 * ranks: 2
 * expect: buffer.send-written
 * lines: first
 * flags: -O0
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int own[16], all[16];
    MPI_Request request;
    for (int i = 0; i < 16; i++)
        own[i] = i + rank;
    MPI_Iallreduce(own, all, 16, MPI_INT, MPI_MAX, WORLD, &request);
#ifdef RIGHT
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    own[size] = -1;
#else
    own[size] = -1; /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    use(all);
}
