/* A file view with a filetype that was not committed.
 *
 * ranks: 2
 * expect: argument.datatype-uncommitted
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out", native[] = "native";
    MPI_Datatype part;
    MPI_Type_contiguous(4, MPI_INT, &part);
#ifdef RIGHT
    MPI_Type_commit(&part);
#endif
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_set_view(file, 0, MPI_INT, part, native, MPI_INFO_NULL); /* WRONG */
    MPI_File_close(&file);
    MPI_Type_free(&part);
}
