/* A write to MPI_FILE_NULL.
 *
 * ranks: 1
 * expect: argument.file
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    int value = rank;
    int error = MPI_File_write_at(TWIN(MPI_FILE_NULL, file), 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE); /* WRONG */
    if (error != MPI_SUCCESS)
        MPI_Error_class(error, &error);
    MPI_File_close(&file);
}
