/* The datatype that MPI_Type_get_contents gives out is never freed.
 *
 * ranks: 1
 * expect: leak.datatype
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int integers[2];
    MPI_Aint addresses[1];
    MPI_Datatype inner, outer, part;
    MPI_Type_contiguous(3, MPI_INT, &inner);
    MPI_Type_create_hvector(2, 1, 40, inner, &outer);
    MPI_Type_free(&inner);
    MPI_Type_get_contents(outer, 2, 1, 1, integers, addresses, &part); /* WRONG */
#ifdef RIGHT
    MPI_Type_free(&part);
#endif
    MPI_Type_free(&outer);
}
