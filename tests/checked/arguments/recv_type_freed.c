/* A receive with a copy of a datatype's handle after the datatype was freed.
 *
 * ranks: 2
 * expect: argument.datatype
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[4] = {rank};
    MPI_Datatype pair, copy;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    copy = pair;
#ifndef RIGHT
    MPI_Type_free(&pair);
#endif
    if (rank == 1)
        MPI_Recv(values, 2, copy, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    else
        MPI_Send(values, 4, MPI_INT, 1, 0, WORLD);
#ifdef RIGHT
    MPI_Type_free(&pair);
#endif
}
