/* A datatype is freed a second time through a copy of its handle.
 *
 * ranks: 2
 * expect: object.freed | argument.datatype
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Datatype pair, copy;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    copy = pair;
    MPI_Type_free(&pair);
#ifdef RIGHT
    copy = pair;
    if (copy != MPI_DATATYPE_NULL)
#endif
        MPI_Type_free(&copy); /* WRONG */
}
