/* Ranks write the same place; in atomic mode one of them is the last.
 *
 * ranks: 2
 * expect: io.overlap
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    int values[4] = {rank};
    MPI_File_set_atomicity(file, TWIN(0, 1));
    MPI_File_write_at(file, 0, values, 4, MPI_INT, MPI_STATUS_IGNORE); /* WRONG */
    MPI_File_close(&file);
}
