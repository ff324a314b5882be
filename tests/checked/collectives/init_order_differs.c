/* The last rank initialises its two persistent operations the other way round.
 *
 * ranks: 3
 * expect: collective.call
 * mpi: mpich
 * bare: mpich=hangs
 */
#include "../checked.h"

/* Starts may come in any order. */
static void program(void)
{
    int mine = rank, sum = 0, given = 5;
    MPI_Request requests[2];
    int last = rank == TWIN(size - 1, -1);
    for (int i = 0; i < 2; i++) {
        if (i == last)
            MPI_Allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &requests[0]);
        else
            MPI_Bcast_init(&given, 1, MPI_INT, 0, WORLD, MPI_INFO_NULL, &requests[1]);
    }
    MPI_Start(&requests[rank % 2]);     /* WRONG */
    MPI_Start(&requests[1 - rank % 2]); /* WRONG */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&requests[i]);
}
