/* A file opened on MPI_COMM_NULL.
 *
 * ranks: 2
 * expect: argument.communicator
 * bare: openmpi=aborts mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    int error = MPI_File_open(TWIN(MPI_COMM_NULL, WORLD), name, mode, MPI_INFO_NULL, &file); /* WRONG */
    if (error == MPI_SUCCESS)
        MPI_File_close(&file);
    else
        MPI_Error_class(error, &error);
}
