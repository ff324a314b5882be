/* Nested datatypes that differ in one basic type deep inside.
 *
 * ranks: 2
 * expect: message.datatype
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    char data[256] = {0};
    MPI_Datatype inner, outer, parts[2] = {MPI_SHORT, rank == TWIN(0, -1) ? MPI_UNSIGNED_SHORT : MPI_SHORT};
    int lengths[2] = {2, 2};
    MPI_Aint places[2] = {0, 4};
    MPI_Type_create_struct(2, lengths, places, parts, &inner);
    MPI_Type_contiguous(8, inner, &outer);
    MPI_Type_commit(&outer);
    if (rank == 0)
        MPI_Send(data, 2, outer, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(data, 2, outer, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Type_free(&outer);
    MPI_Type_free(&inner);
}
