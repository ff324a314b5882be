/* A column of a distributed array is changed while it is sent; the right twin changes one of another process.
 * 
 * ranks: 2
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Datatype part;
    MPI_Request request;
    int values[64] = {0}, sizes[2] = {8, 8}, grid[2] = {1, 2};
    int how[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, pieces[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
    MPI_Type_create_darray(2, 0, 2, sizes, how, pieces, grid, MPI_ORDER_C, MPI_INT, &part);
    MPI_Type_commit(&part);
    if (rank == 0) {
        MPI_Issend(values, 1, part, 1, 0, WORLD, &request); /* WRONG */
        values[TWIN(1, 2)] = 9;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(values, 1, part, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&part);
}
