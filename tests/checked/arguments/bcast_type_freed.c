/* A broadcast with a datatype that was freed.
 *
 * ranks: 2
 * expect: argument.datatype
 * bare: openmpi=crashes mpich=crashes
 */
#include "../checked.h"

static void program(void)
{
    int values[4] = {rank};
    MPI_Datatype pair, copy;
    MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    copy = pair;
#ifndef RIGHT
    MPI_Type_free(&pair);
#endif
    MPI_Bcast(values, 1, copy, 0, WORLD); /* WRONG */
#ifdef RIGHT
    MPI_Type_free(&pair);
#endif
}
