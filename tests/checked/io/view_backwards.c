/* A filetype whose displacements decrease.
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
    MPI_Datatype parts;
    int lengths[2] = {1, 1}, places[2] = {TWIN(4, 0), TWIN(0, 4)};
    MPI_Type_indexed(2, lengths, places, MPI_INT, &parts);
    MPI_Type_commit(&parts);
    MPI_File_set_view(file, 0, MPI_INT, parts, native, MPI_INFO_NULL); /* WRONG */
    MPI_Type_free(&parts);
    MPI_File_close(&file);
}
