/* The grid of a distributed array has another number of processes than its argument size.
 *
 * ranks: 4
 * expect: argument.value
 * bare: openmpi=aborts mpich=aborts|crashes
 */
#include "../checked.h"

static void program(void)
{
    int array[2] = {8, 9}, how[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    int blocks[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, grid[2] = {2, TWIN(3, 2)};
    MPI_Datatype mine;
    MPI_Type_create_darray(4, rank, 2, array, how, blocks, grid, MPI_ORDER_C, MPI_FLOAT, &mine); /* WRONG */
    MPI_Type_free(&mine);
}
