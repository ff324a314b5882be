/* The place for a new datatype is none: the MPI writes to it and dies.
 *
 * ranks: 2
 * expect: life.died
 * bare: openmpi=crashes mpich=crashes
 */
#include "../checked.h"

static void program(void)
{
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT, TWIN((MPI_Datatype *)8, &type)); /* WRONG */
#ifdef RIGHT
    MPI_Type_free(&type);
#endif
}
