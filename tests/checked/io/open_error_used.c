/* The file that could not be opened is read.
 *
 * ranks: 2
 * expect: error.ignored
 * expect: argument.file
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked-there-is-no-such-file";
    int value = 0, class, error;
#ifdef RIGHT
    error = MPI_File_open(WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    if (error == MPI_SUCCESS) {
        MPI_File_read_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_close(&file);
    }
    MPI_Error_class(error, &class);
#else
    MPI_File_open(WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file); /* WRONG */
    error = MPI_File_read_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Error_class(error, &class);
#endif
    use(&value);
}
