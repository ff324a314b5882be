/* A request that was never made: the address of something else is in it.
 *
 * ranks: 1
 * expect: argument.request
 * bare: openmpi=crashes|hangs
 * mpi: openmpi
 */
#include "../checked.h"

static void program(void)
{
    MPI_Request request;
    int value;
#ifdef RIGHT
    MPI_Irecv(&value, 1, MPI_INT, 0, 0, WORLD, &request);
#else
    static void *words[32];
    words[0] = words;
    words[1] = words + 1;
    memcpy(&request, &(void **){words}, sizeof request);
#endif
    MPI_Cancel(&request); /* WRONG */
#ifdef RIGHT
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    use(&value);
}
