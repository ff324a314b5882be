/* A write that is no whole number of the view's elements.
 *
 * ranks: 2
 * expect: argument.value
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out", native[] = "native";
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    int values[4] = {rank};
    MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, native, MPI_INFO_NULL);
    int error = MPI_File_write_at(file, 2 * rank, values, TWIN(3, 4), MPI_INT, MPI_STATUS_IGNORE); /* WRONG */
    if (error != MPI_SUCCESS)
        MPI_Error_class(error, &error);
    MPI_File_close(&file);
}
