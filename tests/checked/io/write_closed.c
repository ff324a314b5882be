/* A write to a file that was closed.
 *
 * ranks: 2
 * expect: argument.file
 * allow: error.ignored
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file, copy;
    char name[] = "checked.out";
    int value = rank;
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    copy = file;
#ifndef RIGHT
    MPI_File_close(&file);
#endif
    MPI_File_write_at(copy, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE); /* WRONG */
#ifdef RIGHT
    MPI_File_close(&file);
#endif
}
