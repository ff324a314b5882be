/* A block of an indexed datatype has a negative length.
 *
 * ranks: 2
 * expect: argument.count | argument.value
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Datatype pieces;
    int lengths[2] = {2, TWIN(-1, 1)}, places[2] = {0, 4};
    MPI_Type_indexed(2, lengths, places, MPI_INT, &pieces); /* WRONG */
    MPI_Type_free(&pieces);
}
