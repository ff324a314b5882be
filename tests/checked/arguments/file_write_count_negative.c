/* A negative count in a write.
 *
 * ranks: 2
 * expect: argument.count
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    int value = rank;
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_write_at(file, 4 * rank, &value, TWIN(-3, 1), MPI_INT, MPI_STATUS_IGNORE); /* WRONG */
    MPI_File_close(&file);
}
