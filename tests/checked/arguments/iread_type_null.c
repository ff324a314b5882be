/* A non-blocking read with MPI_DATATYPE_NULL.
 *
 * ranks: 1
 * expect: argument.datatype
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    MPI_Request request;
    char name[] = "checked.out";
    int value = 0;
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, 0, &value, 1, TWIN(MPI_DATATYPE_NULL, MPI_INT), &request); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}
