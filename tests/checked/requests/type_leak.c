/* A committed datatype is never freed.
 *
 * ranks: 2
 * expect: leak.datatype
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 4, MPI_INT, &column); /* WRONG */
    MPI_Type_commit(&column);
#ifdef RIGHT
    MPI_Type_free(&column);
#endif
}
