/* The members of a struct are sent in another order than they are received.
 *
 * ranks: 2
 * expect: message.datatype
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    struct { double weight; int number; } one = {0.5, rank};
    MPI_Datatype record, swapped, mine;
    MPI_Datatype types[2][2] = {{MPI_DOUBLE, MPI_INT}, {MPI_INT, MPI_DOUBLE}};
    MPI_Aint places[2][2] = {{0, 8}, {8, 0}};
    int lengths[2] = {1, 1};
    MPI_Type_create_struct(2, lengths, places[0], types[0], &record);
    MPI_Type_create_struct(2, lengths, places[1], types[1], &swapped);
    MPI_Type_commit(&record);
    MPI_Type_commit(&swapped);
    mine = rank == 0 ? record : TWIN(swapped, record);
    if (rank == 0)
        MPI_Send(&one, 1, mine, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(&one, 1, mine, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Type_free(&record);
    MPI_Type_free(&swapped);
}
