/* The result of a persistent gather is written before the wait; what its right twin gathers is there, of the root itself, too.
 *
 * ranks: 2
 * expect: buffer.receive-written
 * mpi: mpich
 * bare: mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int sent[2] = {rank + 1, rank + 5}, got[4] = {-1, -1, -1, -1};
    MPI_Request request;
    MPI_Gather_init(sent, 2, MPI_INT, got, 2, MPI_INT, 0, WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
#ifndef RIGHT
    if (rank == 0)
        got[2] = 9;
    use(got);
#endif
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Request_free(&request);
    if (rank == 0 && (got[0] != 1 || got[1] != 5 || got[2] != 2 || got[3] != 6))
        exit(3);
}
