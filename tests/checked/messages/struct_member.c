/* One member of a struct has another type on the receiving side.
 *
 * ranks: 2
 * expect: message.datatype
 * allow: argument.variable-type
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    struct { int number; float weight; double place[3]; } one = {rank};
    MPI_Datatype record, types[3] = {MPI_INT, rank == TWIN(1, -1) ? MPI_INT : MPI_FLOAT, MPI_DOUBLE};
    MPI_Aint places[3] = {0, 4, 8};
    int lengths[3] = {1, 1, 3};
    MPI_Type_create_struct(3, lengths, places, types, &record);
    MPI_Type_commit(&record);
    if (rank == 0)
        MPI_Send(&one, 1, record, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(&one, 1, record, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Type_free(&record);
}
