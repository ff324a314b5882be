/* MPI_Type_commit of MPI_DATATYPE_NULL.
 *
 * ranks: 2
 * expect: argument.datatype
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
#ifdef RIGHT
    MPI_Type_contiguous(3, MPI_INT, &type);
#endif
    MPI_Type_commit(&type); /* WRONG */
    MPI_Type_free(&type);
}
