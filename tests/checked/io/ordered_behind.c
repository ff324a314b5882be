/* Rank 0 writes its trailer where an ordered write has put what comes from rank 1.
 *
 * ranks: 2
 * expect: io.overlap
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    int values[4] = {rank, 1, 2, 3};
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_set_view(file, 64, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_ordered(file, values, 4, MPI_INT, MPI_STATUS_IGNORE); /* WRONG */
    if (rank == 0)
        MPI_File_write_at(file, TWIN(7, 8), values, 1, MPI_INT, MPI_STATUS_IGNORE); /* WRONG */
    MPI_File_close(&file);
}
