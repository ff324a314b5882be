/* The datatype that a resized one was made of is forgotten.
 *
 * ranks: 2
 * expect: leak.datatype
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Datatype column, resized;
    MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column); /* WRONG */
    MPI_Type_create_resized(column, 0, sizeof(double), &resized);
    MPI_Type_commit(&resized);
#ifdef RIGHT
    MPI_Type_free(&column);
#endif
    MPI_Type_free(&resized);
}
