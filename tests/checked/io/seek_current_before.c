/* A seek back to before the beginning of the file, from where the pointer is.
 *
 * ranks: 1
 * expect: argument.value
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    int values[4] = {rank};
    MPI_File_write(file, values, 4, MPI_INT, MPI_STATUS_IGNORE);
    int error = MPI_File_seek(file, TWIN(-17, -16), MPI_SEEK_CUR); /* WRONG */
    if (error != MPI_SUCCESS)
        MPI_Error_class(error, &error);
    MPI_File_close(&file);
}
