/* A predefined datatype is freed.
 *
 * ranks: 1
 * expect: object.freed
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Datatype type = MPI_INT;
#ifdef RIGHT
    MPI_Type_dup(MPI_INT, &type);
#endif
    MPI_Type_free(&type); /* WRONG */
}
