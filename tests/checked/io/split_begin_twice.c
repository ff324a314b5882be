/* A second split collective write is begun before the first one has ended.
 *
 * ranks: 2
 * expect: file.split-collective
 * allow: leak.file
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    int values[8] = {rank};
    MPI_File_write_at_all_begin(file, 32 * rank, values, 4, MPI_INT);
#ifdef RIGHT
    MPI_File_write_at_all_end(file, values, MPI_STATUS_IGNORE);
#endif
    MPI_File_write_at_all_begin(file, 32 * rank + 16, values + 4, 4, MPI_INT); /* WRONG */
    MPI_File_write_at_all_end(file, values + 4, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}
