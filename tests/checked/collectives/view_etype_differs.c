/* File views with elementary types of different extent.
 *
 * ranks: 2
 * expect: collective.argument
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out", native[] = "native";
    MPI_Datatype etype = rank == TWIN(0, -1) ? MPI_DOUBLE : MPI_INT;
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_set_view(file, 0, etype, etype, native, MPI_INFO_NULL); /* WRONG */
    MPI_File_close(&file);
}
