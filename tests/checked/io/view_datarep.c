/* A data representation that nobody knows.
 *
 * ranks: 1
 * expect: argument.value
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    char rep[] = TWIN("endianless", "native");
    int error = MPI_File_set_view(file, 0, MPI_INT, MPI_INT, rep, MPI_INFO_NULL); /* WRONG */
    if (error != MPI_SUCCESS)
        MPI_Error_class(error, &error);
    MPI_File_close(&file);
}
