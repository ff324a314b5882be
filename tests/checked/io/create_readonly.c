/* A file is to be created and only read.
 *
 * ranks: 2
 * expect: argument.value | file.mode
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    int error = MPI_File_open(WORLD, name, MPI_MODE_CREATE | TWIN(MPI_MODE_RDONLY, MPI_MODE_RDWR), MPI_INFO_NULL, &file); /* WRONG */
    if (error == MPI_SUCCESS)
        MPI_File_close(&file);
    else
        MPI_Error_class(error, &error);
}
