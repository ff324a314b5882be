/* A broadcast of int and double, in which one rank has them the other way round.
 *
 * ranks: 2
 * expect: collective.datatype
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    struct { double d; int i; } data = {1.5, 2};
    MPI_Datatype record, parts[2][2] = {{MPI_DOUBLE, MPI_INT}, {MPI_INT, MPI_DOUBLE}};
    int lengths[2] = {1, 1}, swapped = rank == TWIN(1, -1);
    MPI_Aint places[2][2] = {{0, 8}, {8, 0}};
    MPI_Type_create_struct(2, lengths, places[swapped], parts[swapped], &record);
    MPI_Type_commit(&record);
    MPI_Bcast(&data, 1, record, 0, WORLD); /* WRONG */
    MPI_Type_free(&record);
}
