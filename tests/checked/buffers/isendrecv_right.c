/* A buffer into which MPI_Isendrecv receives is written before it is complete; MPICH leaves the status of such a request empty.
 *
 * ranks: 2
 * expect: buffer.receive-written
 * lines: first
 * bare: mpich=ends
 * mpi: mpich
 */
#include "../checked.h"

static void program(void)
{
    int mine[4] = {rank + 1, rank + 1, rank + 1, rank + 1}, theirs[6] = {-1, -1, -1, -1, -1, -1};
    MPI_Request request;
    MPI_Status status;
    MPI_Isendrecv(mine, 4, MPI_INT, 1 - rank, 3, theirs, 6, MPI_INT, 1 - rank, 3, WORLD, &request);
#ifndef RIGHT
    theirs[0] = -2; /* WRONG */
#endif
    use(theirs);
    MPI_Wait(&request, &status);
    for (int i = 0; i < 6; i++)
        if (theirs[i] != (i < 4 ? 2 - rank : -1))
            MPI_Abort(WORLD, 3);
}
