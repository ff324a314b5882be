/* A struct with MPI_DATATYPE_NULL as a member.
 *
 * ranks: 2
 * expect: argument.datatype
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Datatype record, members[2] = {MPI_INT, TWIN(MPI_DATATYPE_NULL, MPI_DOUBLE)};
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, 8};
    MPI_Type_create_struct(2, lengths, places, members, &record); /* WRONG */
    MPI_Type_free(&record);
}
