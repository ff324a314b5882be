/* A copy of a datatype that belongs to the MPI is taken apart: what it is made from is the MPI's, the copy is not.
 *
 * ranks: 1
 * expect: leak.datatype
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Datatype number, copy, inner;
    int none[1];
    MPI_Aint nowhere[1];
    MPI_Type_create_f90_integer(9, &number);
    MPI_Type_dup(number, &copy); /* WRONG */
    MPI_Type_get_contents(copy, 0, 0, 1, none, nowhere, &inner);
    use(&inner);
#ifdef RIGHT
    MPI_Type_free(&copy);
#endif
}
