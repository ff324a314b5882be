/* A file view with a negative displacement.
 *
 * ranks: 2
 * expect: argument.value
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    char native[] = "native";
    MPI_File_set_view(file, TWIN(-8, 8), MPI_INT, MPI_INT, native, MPI_INFO_NULL); /* WRONG */
    MPI_File_close(&file);
}
