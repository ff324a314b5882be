/* A file opened both for reading and for writing only.
 *
 * ranks: 2
 * expect: argument.value | file.mode
 * allow: error.ignored
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    int mode = MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | TWIN(MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_MODE_WRONLY);
    int error = MPI_File_open(WORLD, name, mode, MPI_INFO_NULL, &file); /* WRONG */
    if (error == MPI_SUCCESS)
        MPI_File_close(&file);
}
