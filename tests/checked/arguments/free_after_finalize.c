/* A destructor that frees a datatype after MPI_Finalize.
 *
 * ranks: 1
 * expect: life.outside
 * allow: leak.datatype
 * bare: openmpi=aborts mpich=aborts
 */
#define OWN_MAIN
#include "../checked.h"

int main(int argc, char **argv)
{
    MPI_Datatype pair;
    MPI_Init(&argc, &argv);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
#ifdef RIGHT
    MPI_Type_free(&pair);
#endif
    MPI_Finalize();
#ifndef RIGHT
    MPI_Type_free(&pair); /* WRONG */
#endif
    return 0;
}
