/* A split collective read is ended that was not begun.
 *
 * ranks: 2
 * expect: file.split-collective
 * bare: openmpi=crashes mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    int values[4] = {rank};
    MPI_File_set_size(file, 64);
#ifdef RIGHT
    MPI_File_read_at_all_begin(file, 16 * rank, values, 4, MPI_INT);
#endif
    MPI_File_read_at_all_end(file, values, MPI_STATUS_IGNORE); /* WRONG */
    MPI_File_close(&file);
}
