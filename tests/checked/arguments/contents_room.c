/* No room for the displacements of a structure.
 *
 * ranks: 1
 * expect: argument.value
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int lengths[2] = {1, 2}, integers[3];
    MPI_Aint places[2] = {0, 8}, addresses[2];
    MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE}, both, types[2];
    MPI_Type_create_struct(2, lengths, places, parts, &both);
    MPI_Type_get_contents(both, 3, TWIN(0, 2), 2, integers, addresses, types); /* WRONG */
    MPI_Type_free(&both);
}
