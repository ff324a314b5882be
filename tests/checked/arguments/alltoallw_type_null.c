/* One of the datatypes of MPI_Alltoallw is null.
 *
 * ranks: 2
 * expect: argument.datatype
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine[2] = {rank}, theirs[2], counts[2] = {1, 1}, places[2] = {0, 4};
    MPI_Datatype send[2] = {MPI_INT, TWIN(MPI_DATATYPE_NULL, MPI_INT)}, receive[2] = {MPI_INT, MPI_INT};
    MPI_Alltoallw(mine, counts, places, send, theirs, counts, places, receive, WORLD); /* WRONG */
}
