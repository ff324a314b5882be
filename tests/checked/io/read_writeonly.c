/* A read of a file that was opened for writing.
 *
 * ranks: 2
 * expect: file.mode
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    int value = rank;
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | TWIN(MPI_MODE_WRONLY, MPI_MODE_RDWR), MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_write_at_all(file, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE); /* WRONG */
    MPI_File_close(&file);
}
