/* Contents asked of a predefined datatype.
 *
 * ranks: 1
 * expect: argument.datatype
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int counts[3], combiner, integers[1];
    MPI_Aint addresses[1];
    MPI_Datatype types[1];
    MPI_Type_get_envelope(MPI_DOUBLE, &counts[0], &counts[1], &counts[2], &combiner);
    if (TWIN(combiner >= 0, combiner != MPI_COMBINER_NAMED))
        MPI_Type_get_contents(MPI_DOUBLE, 1, 1, 1, integers, addresses, types); /* WRONG */
}
