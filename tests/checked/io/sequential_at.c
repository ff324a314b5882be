/* A write at an offset to a sequential file.
 *
 * ranks: 2
 * expect: file.mode
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    int value = rank;
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
#ifdef RIGHT
    MPI_File_write_shared(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
#else
    MPI_File_write_at(file, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE); /* WRONG */
#endif
    MPI_File_close(&file);
}
