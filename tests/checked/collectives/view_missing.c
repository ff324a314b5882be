/* One rank sets a view of a file, which is for all, while the other one sets its size.
 *
 * ranks: 2
 * expect: collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out", native[] = "native";
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    if (TWIN(rank == 0, 1))
        MPI_File_set_view(file, 0, MPI_INT, MPI_INT, native, MPI_INFO_NULL); /* WRONG */
    else
        MPI_File_set_size(file, 64); /* WRONG */
    MPI_File_close(&file);
}
