/* A split collective write is ended as one at explicit offsets.
 *
 * ranks: 2
 * expect: file.split-collective
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    int values[4] = {rank};
    MPI_File_seek(file, 16 * rank, MPI_SEEK_SET);
    MPI_File_write_all_begin(file, values, 4, MPI_INT);
#ifdef RIGHT
    MPI_File_write_all_end(file, values, MPI_STATUS_IGNORE);
#else
    MPI_File_write_at_all_end(file, values, MPI_STATUS_IGNORE); /* WRONG */
#endif
    MPI_File_close(&file);
}
