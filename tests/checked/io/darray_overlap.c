/* Two ranks write the same part of a distributed array: one has the other's rank in its view.
 * 
 * ranks: 2
 * expect: io.overlap
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    MPI_Datatype part;
    int values[32] = {0}, sizes[2] = {8, 8}, grid[2] = {1, 2};
    int how[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, pieces[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
    MPI_Type_create_darray(2, TWIN(0, rank), 2, sizes, how, pieces, grid, MPI_ORDER_C, MPI_INT, &part);
    MPI_Type_commit(&part);
    MPI_File_open(WORLD, "darray.bin", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_INT, part, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, values, 32, MPI_INT, MPI_STATUS_IGNORE); /* WRONG */
    MPI_File_close(&file);
    MPI_Type_free(&part);
}
