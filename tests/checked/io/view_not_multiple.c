/* A filetype that is no multiple of the elementary type.
 *
 * ranks: 2
 * expect: argument.value | argument.datatype
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    char native[] = "native";
    MPI_Datatype three;
    MPI_Type_contiguous(TWIN(3, 4), MPI_INT, &three);
    MPI_Type_commit(&three);
    MPI_File_set_view(file, 0, MPI_DOUBLE, TWIN(three, MPI_DOUBLE), native, MPI_INFO_NULL); /* WRONG */
    MPI_Type_free(&three);
    MPI_File_close(&file);
}
